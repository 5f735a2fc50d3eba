import Foundation
import PersistenceContainer
import PersistenceRuntime
import PersistenceSchemas
import PersistenceSupport

/// Swift code for a version whose models have changed: the original version, and a new version with the changes.
///
/// The code can only be as complete as the schema. The schema contains the stored fields of structs, and the names of
/// types without their modules and enclosing types. It contains no code.
struct VersionSource: CustomStringConvertible {
  let version: any VersionedSchema.Type
  private let entities: [EntityForm]
  /// Whether the plan has no later version.
  private let isLast: Bool
  private let isLightweight: Bool

  init(of version: any VersionedSchema.Type, stored: Schema, isLast: Bool, isLightweight: Bool) {
    self.version = version
    entities = SchemaForm.entities(of: stored)
    self.isLast = isLast
    self.isLightweight = isLightweight
  }

  private var name: String { SourceName.identifier(String(describing: version)) }

  var description: String {
    let header = Self.header(version.versionIdentifier, models: entities.map(\.name))
    let models = entities.map { ModelSource($0, among: entities).text }
    let kept = """
      enum \(name): VersionedSchema {
      \(([header] + VersionTypes(of: entities).parts + models).joined(separator: "\n\n"))
      }
      """
    return isLast ? "\(kept)\n\n\(next)" : kept
  }

  private static func header(_ version: Schema.Version, models: [String]) -> String {
    let list = models.map { "\(SourceName.identifier($0)).self" }.joined(separator: ", ")
    return """
        static let versionIdentifier = Schema.Version(\(version.major), \(version.minor), \(version.patch))
        static var models: [any PersistentModel.Type] { [\(list)] }
      """
  }

  private var next: String {
    let identifier = version.versionIdentifier
    let models = version.models.map { String(describing: $0) }
    let stage =
      isLightweight
      ? ".lightweight(fromVersion: \(name).self, toVersion: \(nextName).self)"
      : ".custom(fromVersion: \(name).self, toVersion: \(nextName).self, willMigrate: nil, didMigrate: nil)  "
        + "// with code for what is marked with ! above"
    return """
      enum \(nextName): VersionedSchema {
      \(Self.header(Schema.Version(identifier.major + 1, 0, 0), models: models))

        // The models of \(name) as they are now.
      }

      // At the end of the plan's schemas: \(nextName).self
      // At the end of its stages: \(stage)
      """
  }

  /// The name of the new version: the old name with its final number increased by one, or with "Next" appended.
  private var nextName: String {
    let name = String(describing: version)
    let digits = String(name.reversed().prefix(while: \.isNumber).reversed())
    guard let number = Int(digits), number < Int.max else { return SourceName.identifier(name + "Next") }
    return SourceName.identifier("\(name.dropLast(digits.count))\(number + 1)")
  }
}

/// Swift code of a model.
private struct ModelSource {
  let entity: EntityForm
  /// All models of the version.
  private let entities: [EntityForm]

  init(_ entity: EntityForm, among entities: [EntityForm]) {
    self.entity = entity
    self.entities = entities
  }

  var text: String {
    let macro = entity.originalName.map { "@Model(originalName: \(SourceLiteral.text($0)))" } ?? "@Model"
    let keyword = entities.contains { $0.superentity == entity.name } ? "class" : "final class"
    let superclass = entity.superentity.map { ": \(SourceName.identifier($0))" } ?? ""
    let parts = [rules, properties.map(\.declaration), initialiser].filter { !$0.isEmpty }
    let body = parts.map { part in part.map { "    \($0)" }.joined(separator: "\n") }.joined(separator: "\n\n")
    return "  \(macro)\n  \(keyword) \(name)\(superclass) {\n\(body)\n  }"
  }

  private var name: String { SourceName.identifier(entity.name) }

  private var properties: [PropertySource] {
    entity.attributes.map { PropertySource($0) } + entity.relationships.map { PropertySource($0, of: entity) }
  }

  /// The `#Unique` macro, for constraints that `@Attribute(.unique)` does not declare, and the `#Index` macro.
  private var rules: [String] {
    let unique = Set(entity.attributes.filter { $0.options.contains(.unique) }.map { [$0.name] })
    let constraints = entity.uniquenessConstraints.filter { !unique.contains($0) }.map { list($0) }
    return (constraints.isEmpty ? [] : ["#Unique<\(name)>(\(constraints.joined(separator: ", ")))"])
      + (indices.isEmpty ? [] : ["#Index<\(name)>(\(indices.joined(separator: ", ")))"])
  }

  /// The arguments of `#Index`. If one of the indexes is an R-tree, the arguments name the kind of each index.
  private var indices: [String] {
    guard entity.indices.contains(where: { $0.kind == .rtree }) else {
      return entity.indices.map { list($0.properties) }
    }
    return entity.indices.map { "\($0.kind == .rtree ? ".rtree" : ".binary")(\(list($0.properties)))" }
  }

  private func list(_ properties: [String]) -> String { "[\(properties.map(keyPath).joined(separator: ", "))]" }

  /// The key path to a property. A dotted name is the path to a member of a struct.
  private func keyPath(_ name: String) -> String {
    var path = "\\"
    var attributes = family.flatMap(\.attributes)
    var isOptional = false
    for part in name.split(separator: ".") {
      let attribute = attributes.first { $0.name == part }
      path += "\(isOptional ? "?" : "").\(SourceName.identifier(String(part)))"
      (attributes, isOptional) = (attribute?.members ?? [], attribute?.isOptional ?? false)
    }
    return path
  }

  /// The entity and its superentities.
  private var family: [EntityForm] { [entity] + (superclass?.family ?? []) }

  private var superclass: ModelSource? {
    guard let parent = entities.first(where: { $0.name == entity.superentity }) else { return nil }
    // Leaves out the entity itself, so that a schema with cyclic inheritance does not cause an endless recursion.
    return ModelSource(parent, among: entities.filter { $0.name != entity.name })
  }

  /// The properties that need a parameter of the initialiser: they have no default value and are not optional.
  private var parameters: [PropertySource] { properties.filter { !$0.hasValue } }

  /// The parameters of the superclasses, beginning with those of the root class.
  private var inheritedParameters: [PropertySource] {
    superclass.map { $0.inheritedParameters + $0.parameters } ?? []
  }

  /// An initialiser with a parameter for each property without a default. A subclass without such properties gets an
  /// initialiser too, because `@Model` requires one in every class.
  private var initialiser: [String] {
    let (own, inherited) = (parameters, inheritedParameters)
    let isSubclass = entity.superentity != nil
    guard isSubclass || !own.isEmpty else { return ["init() {}"] }
    let all = (inherited + own).map { "\($0.identifier): \($0.type)" }.joined(separator: ", ")
    let call = inherited.map { "\($0.identifier): \($0.identifier)" }.joined(separator: ", ")
    return ["\(isSubclass && own.isEmpty ? "override " : "")init(\(all)) {"]
      + own.map { "  self.\($0.identifier) = \($0.identifier)" } + (isSubclass ? ["  super.init(\(call))"] : []) + ["}"]
  }
}

/// Swift code of a property.
private struct PropertySource {
  let identifier: String
  let type: String
  private let macro: String?
  private let value: String?

  init(_ attribute: AttributeForm) {
    identifier = SourceName.identifier(attribute.name)
    type = attribute.sourceType
    value = attribute.defaultValue.map { SourceLiteral.value($0, of: attribute.type) }
    var arguments = attribute.options.filter { !$0.isIndex }.map(\.sourceText)
    if attribute.originalName != attribute.name {
      arguments.append("originalName: \(SourceLiteral.text(attribute.originalName))")
    }
    if let modifier = attribute.hashModifier { arguments.append("hashModifier: \(SourceLiteral.text(modifier))") }
    macro = arguments.isEmpty ? nil : "@Attribute(\(arguments.joined(separator: ", ")))"
  }

  init(_ relationship: RelationshipForm, of entity: EntityForm) {
    identifier = SourceName.identifier(relationship.name)
    let destination = SourceName.identifier(relationship.destination)
    let model = relationship.isToMany ? "[\(destination)]" : destination
    type = model + (relationship.isOptional ? "?" : "")
    value = relationship.isToMany && !relationship.isOptional ? "[]" : nil
    macro = Self.macro(of: relationship, of: entity)
  }

  /// The `@Relationship` macro; nil if none is needed. Of two inverse relationships, the one whose entity and property
  /// names sort first declares the inverse.
  private static func macro(of relationship: RelationshipForm, of entity: EntityForm) -> String? {
    var arguments = relationship.options.map(\.debugDescription)
    if relationship.deleteRule != .nullify { arguments.append("deleteRule: .\(relationship.deleteRule.rawValue)") }
    if relationship.minimumModelCount != 0 { arguments.append("minimumModelCount: \(relationship.minimumModelCount)") }
    if relationship.maximumModelCount != 0 { arguments.append("maximumModelCount: \(relationship.maximumModelCount)") }
    if relationship.originalName != relationship.name {
      arguments.append("originalName: \(SourceLiteral.text(relationship.originalName))")
    }
    if relationship.inverseName == nil { arguments.append("inverse: nil") }
    if let inverse = relationship.inverseName,
      (entity.name, relationship.name) <= (relationship.destination, inverse)
    {
      let (type, property) = (SourceName.identifier(relationship.destination), SourceName.identifier(inverse))
      arguments.append("inverse: \\\(type).\(property)")
    }
    if let modifier = relationship.hashModifier { arguments.append("hashModifier: \(SourceLiteral.text(modifier))") }
    return arguments.isEmpty ? nil : "@Relationship(\(arguments.joined(separator: ", ")))"
  }

  /// Whether the property has a default or is optional, so that the initialiser needs no parameter for it.
  var hasValue: Bool { value != nil || type.hasSuffix("?") }

  var declaration: String {
    (macro.map { $0 + " " } ?? "") + "var \(identifier): \(type)" + (value.map { " = \($0)" } ?? "")
  }
}
