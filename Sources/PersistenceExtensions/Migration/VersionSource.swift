import Foundation
import PersistenceContainer
import PersistenceRuntime
import PersistenceSchemas
import PersistenceSupport

/// Swift code for a version whose models have changed: the version as it was, and one for the changes.
///
/// A schema knows the names of types without their modules and without what encloses them, and no code of the models.
struct VersionSource: CustomStringConvertible {
  let version: any VersionedSchema.Type
  private let entities: [EntityForm]
  /// Whether no later version is in the plan.
  private let isLast: Bool
  private let isLightweight: Bool

  init(of version: any VersionedSchema.Type, stored: Schema, isLast: Bool, isLightweight: Bool) {
    self.version = version
    entities = SchemaForm.entities(of: stored)
    self.isLast = isLast
    self.isLightweight = isLightweight
  }

  private var name: String { String(describing: version) }

  var description: String {
    let kept = """
      enum \(name): VersionedSchema {
      \(Self.header(version.versionIdentifier, models: entities.map(\.name)))

      \(entities.map { ModelSource($0, among: entities).text }.joined(separator: "\n\n"))
      }
      """
    return isLast ? "\(kept)\n\n\(next)" : kept
  }

  private static func header(_ version: Schema.Version, models: [String]) -> String {
    """
      static let versionIdentifier = Schema.Version(\(version.major), \(version.minor), \(version.patch))
      static var models: [any PersistentModel.Type] { [\(models.map { "\($0).self" }.joined(separator: ", "))] }
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

  /// The name with its last number plus one.
  private var nextName: String {
    let digits = String(name.reversed().prefix(while: \.isNumber).reversed())
    guard let number = Int(digits), number < Int.max else { return name + "Next" }
    return "\(name.dropLast(digits.count))\(number + 1)"
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
    let superclass = entity.superentity.map { ": \($0)" } ?? ""
    let parts = [rules, properties.map(\.declaration), initialiser].filter { !$0.isEmpty }
    let body = parts.map { part in part.map { "    \($0)" }.joined(separator: "\n") }.joined(separator: "\n\n")
    return "  \(macro)\n  \(keyword) \(entity.name)\(superclass) {\n\(body)\n  }"
  }

  private var properties: [PropertySource] {
    entity.attributes.map { PropertySource($0) } + entity.relationships.map { PropertySource($0, of: entity) }
  }

  /// The rules that do not stand at a property.
  private var rules: [String] {
    let unique = Set(entity.attributes.filter { $0.options.contains(.unique) }.map { [$0.name] })
    let constraints = entity.uniquenessConstraints.filter { !unique.contains($0) }.map { Self.list($0) }
    return (constraints.isEmpty ? [] : ["#Unique<\(entity.name)>(\(constraints.joined(separator: ", ")))"])
      + (indices.isEmpty ? [] : ["#Index<\(entity.name)>(\(indices.joined(separator: ", ")))"])
  }

  /// The arguments of `#Index`, which name their kind if there are several kinds.
  private var indices: [String] {
    guard entity.indices.contains(where: { $0.kind == .rtree }) else {
      return entity.indices.map { Self.list($0.properties) }
    }
    return entity.indices.map { "\($0.kind == .rtree ? ".rtree" : ".binary")(\(Self.list($0.properties)))" }
  }

  private static func list(_ properties: [String]) -> String {
    "[\(properties.map { "\\.\($0)" }.joined(separator: ", "))]"
  }

  /// The properties that have no value of their own.
  private var parameters: [PropertySource] { properties.filter { !$0.hasValue } }

  /// Those of the superclasses, the most general one first.
  private var inheritedParameters: [PropertySource] {
    guard let parent = entities.first(where: { $0.name == entity.superentity }) else { return [] }
    // One by one up, and never around: a schema says what its entities inherit from.
    let source = ModelSource(parent, among: entities.filter { $0.name != entity.name })
    return source.inheritedParameters + source.parameters
  }

  /// An initialiser with a parameter for each property without a value. A subclass that adds none inherits it.
  private var initialiser: [String] {
    let (own, inherited) = (parameters, inheritedParameters)
    guard entity.superentity == nil || !own.isEmpty else { return [] }
    guard !own.isEmpty else { return ["init() {}"] }
    let all = (inherited + own).map { "\($0.name): \($0.type)" }.joined(separator: ", ")
    let call = inherited.map { "\($0.name): \($0.name)" }.joined(separator: ", ")
    return ["init(\(all)) {"] + own.map { "  self.\($0.name) = \($0.name)" }
      + (entity.superentity == nil ? [] : ["  super.init(\(call))"]) + ["}"]
  }
}

/// Swift code of a property.
private struct PropertySource {
  let name: String
  let type: String
  private let macro: String?
  private let value: String?

  init(_ attribute: AttributeForm) {
    name = attribute.name
    type = SourceLiteral.typeName(attribute.type.name) + (attribute.isOptional ? "?" : "")
    value = attribute.defaultValue.map { SourceLiteral.value($0, of: attribute.type) }
    var arguments = attribute.options.filter { !$0.isIndex }.map(\.sourceText)
    if attribute.originalName != attribute.name {
      arguments.append("originalName: \(SourceLiteral.text(attribute.originalName))")
    }
    if let modifier = attribute.hashModifier { arguments.append("hashModifier: \(SourceLiteral.text(modifier))") }
    macro = arguments.isEmpty ? nil : "@Attribute(\(arguments.joined(separator: ", ")))"
  }

  init(_ relationship: RelationshipForm, of entity: EntityForm) {
    name = relationship.name
    let model = relationship.isToMany ? "[\(relationship.destination)]" : relationship.destination
    type = model + (relationship.isOptional ? "?" : "")
    value = relationship.isToMany && !relationship.isOptional ? "[]" : nil
    macro = Self.macro(of: relationship, of: entity)
  }

  /// Nil if everything is as without a macro. Of two ends, the one whose name comes first names the other.
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
      arguments.append("inverse: \\\(relationship.destination).\(inverse)")
    }
    if let modifier = relationship.hashModifier { arguments.append("hashModifier: \(SourceLiteral.text(modifier))") }
    return arguments.isEmpty ? nil : "@Relationship(\(arguments.joined(separator: ", ")))"
  }

  /// Whether it needs no parameter of the initialiser.
  var hasValue: Bool { value != nil || type.hasSuffix("?") }

  var declaration: String {
    (macro.map { $0 + " " } ?? "") + "var \(name): \(type)" + (value.map { " = \($0)" } ?? "")
  }
}

extension Schema.Attribute.Option {
  /// The option as an argument of `@Attribute`.
  fileprivate var sourceText: String {
    transformerName.map { ".transformable(by: \(SourceLiteral.text($0)))" } ?? debugDescription
  }
}

/// Values in source notation.
private enum SourceLiteral {
  static func text(_ text: String) -> String { text.debugDescription }

  /// A list by its brackets, as programs write it.
  static func typeName(_ name: String) -> String {
    guard name.hasPrefix("Array<"), name.hasSuffix(">") else { return name }
    return "[\(typeName(String(name.dropFirst("Array<".count).dropLast())))]"
  }

  static func value(_ value: CodedValue, of type: StoredTypeName) -> String {
    guard let raw = type.rawName else { return literal(value, of: type.name) }
    // Raw values of enums may be none of them, and those of option sets always are.
    return "(\(type.name)(rawValue: \(literal(value, of: raw))) as \(type.name)?)!"
  }

  private static func literal(_ value: CodedValue, of type: String) -> String {
    switch value {
    case .bool, .integer, .unsigned, .number: "\(value)"
    case .string(let string): text(string)
    case .special(let number): "\(type)(\(text(number)))!"
    case .decimal(let digits): "Decimal(string: \(text(digits)))!"
    case .date(let seconds): "Date(timeIntervalSinceReferenceDate: \(seconds))"
    case .uuid(let digits): "UUID(uuidString: \(text(digits)))!"
    case .url(let address): "URL(string: \(text(address)))!"
    case .data(let data): "Data(base64Encoded: \(text(data.base64EncodedString())))!"
    }
  }
}
