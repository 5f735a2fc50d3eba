import PersistenceRuntime
import PersistenceSupport

/// Builds the entity of a model from `schemaMetadata`.
struct EntityReader {
  let entity: Schema.Entity
  private(set) var problems: [SchemaProblem] = []
  private(set) var destinations: [any PersistentModel.Type] = []
  private let secondDefaults: [String: Any]

  init(_ type: any PersistentModel.Type) {
    entity = Schema.Entity(Schema.entityName(ofModel: type))
    entity.modelType = type
    entity.metadata = type.schemaMetadata
    // Each access of the metadata evaluates the defaults again. If two values differ, as for `UUID()`, the default is
    // volatile.
    let again = type.schemaMetadata.compactMap { metadata in
      DefaultValue.unwrapped(metadata.defaultValue).map { (metadata.name, $0) }
    }
    secondDefaults = Dictionary(again) { first, _ in first }
  }

  mutating func read() {
    for metadata in entity.metadata where !(metadata.metadata is any KeyPathListing) {
      if metadata.name == Schema.entityMetadataName {
        let name = (metadata.metadata as? Schema.Attribute)?.originalName ?? ""
        if !name.isEmpty { entity.originalName = name }
        continue
      }
      guard let property = property(of: metadata) else { continue }
      entity.storedProperties.append(property)
      if entity.namesByKeyPath[metadata.keypath] == nil {
        entity.namesByKeyPath[metadata.keypath] = metadata.name
      }
      for member in metadata.compositeLayout?.memberKeyPaths(from: metadata.keypath) ?? [] {
        entity.namesByKeyPath[member.keyPath] = member.name
      }
    }
  }

  private mutating func property(of metadata: Schema.PropertyMetadata) -> (any SchemaProperty)? {
    let type = PropertyType(Swift.type(of: metadata.keypath).valueType)
    switch metadata.metadata {
    case let template as Schema.Relationship:
      return relationship(metadata, type, like: template)
    case let template as Schema.Attribute:
      return property(of: metadata, type, like: template)
    case nil:
      return property(of: metadata, type, like: nil)
    default:
      problems.append(.unknownMetadata(entity: entity.name, property: metadata.name))
      return nil
    }
  }

  // Without @Relationship, a property is a relationship if its type is a model or an array of models.
  private mutating func property(
    of metadata: Schema.PropertyMetadata, _ type: PropertyType, like template: Schema.Attribute?
  ) -> any SchemaProperty {
    guard let destination = type.destination, template?.isTransformable != true else {
      return attribute(metadata, type, like: template)
    }
    checkName(of: destination, in: metadata)
    if template?.isOutOfRow == true || template?.options.contains(where: \.isOutOfRow) == true {
      problems.append(.modelOutOfRow(entity: entity.name, property: metadata.name, type: type.declared))
    }
    let words = Schema.Relationship(originalName: template?.originalName, hashModifier: template?.hashModifier)
    if template?.isUnique == true { words.options = [.unique] }
    return relationship(metadata, type, like: words)
  }

  /// Reports a related model that has the name of a value type, such as `Data`. From this name, `@Model` has concluded
  /// that the property is a value, and has generated no code for a relationship.
  private mutating func checkName(of destination: any PersistentModel.Type, in metadata: Schema.PropertyMetadata) {
    let name = Schema.entityName(ofModel: destination)
    guard Self.valueNames.contains(name), !metadata.isRelatable, !entity.isWrittenByHand else { return }
    problems.append(.modelTakenForValue(entity: entity.name, property: metadata.name, destination: name))
  }

  /// Names of types that `@Model` treats as values. `StoredProperty.valueTypes` in the macros is the same list.
  private static let valueNames: Set<String> = [
    "Int", "Int8", "Int16", "Int32", "Int64", "UInt", "UInt8", "UInt16", "UInt32", "UInt64", "Double", "Float", "Bool",
    "String", "Date", "UUID", "URL", "Data", "Decimal",
  ]

  private func attribute(
    _ metadata: Schema.PropertyMetadata, _ type: PropertyType, like template: Schema.Attribute?
  ) -> Schema.Attribute {
    let members = metadata.compositeLayout?.attributes ?? (template as? Schema.CompositeAttribute)?.properties
    let kind = members == nil ? Schema.Attribute.self : Schema.CompositeAttribute.self
    let attribute = make(kind, metadata, type, like: template)
    if let members { (attribute as? Schema.CompositeAttribute)?.properties = members }
    attribute.keypath = metadata.keypath
    if template?.isOutOfRow == true || entity.isWrittenByHand { attribute._$outOfRow() }
    attribute.isDefaultVolatile = isVolatile(attribute.defaultValue, of: metadata.name)
    return attribute
  }

  private func make(
    _ kind: Schema.Attribute.Type,
    _ metadata: Schema.PropertyMetadata,
    _ type: PropertyType,
    like template: Schema.Attribute?
  ) -> Schema.Attribute {
    let original = template?.originalName ?? ""
    let value = DefaultValue.unwrapped(metadata.defaultValue) ?? template?.defaultValue
    let conforming = value.flatMap { DefaultValue.conforming($0, to: type.wrapped) }
    let name = metadata.name
    let originalName = original.isEmpty ? name : original
    let options = template?.options ?? []
    guard kind == Schema.CompositeAttribute.self else {
      return Schema.Attribute(
        name: name, originalName: originalName, options: options, valueType: type.declared,
        defaultValue: conforming ?? value, hashModifier: template?.hashModifier
      )
    }
    return Schema.CompositeAttribute(
      name: name, originalName: originalName, options: options, valueType: type.declared,
      defaultValue: conforming ?? value, hashModifier: template?.hashModifier
    )
  }

  private func isVolatile(_ value: Any?, of name: String) -> Bool {
    guard let value, let second = secondDefaults[name], let coded = CodedValue(value) else { return false }
    let type = Swift.type(of: value)
    return CodedValue(DefaultValue.conforming(second, to: type) ?? second) != coded
  }

  private mutating func relationship(
    _ metadata: Schema.PropertyMetadata, _ type: PropertyType, like template: Schema.Relationship
  ) -> Schema.Relationship {
    let relationship = Schema.Relationship(
      deleteRule: template.deleteRule,
      minimumModelCount: template.minimumModelCount,
      maximumModelCount: template.maximumModelCount,
      originalName: template.originalName.isEmpty ? metadata.name : template.originalName,
      inverse: template.inverseKeyPath,
      hashModifier: template.hashModifier
    )
    relationship.name = metadata.name
    if template.isOneWay { _ = relationship._$withoutInverse() }
    relationship.options = template.options
    relationship.keypath = metadata.keypath
    relationship.valueType = type.declared
    relationship.inverseName = template.inverseName
    let destination = type.destination.map { Schema.entityName(ofModel: $0) }
    relationship.destination = destination ?? _typeName(type.wrapped, qualified: false)
    if let model = type.destination { destinations.append(model) }
    return relationship
  }
}

extension Schema.Attribute.Option {
  /// Whether the column contains a reference to a file or an encrypted value, instead of the value itself.
  fileprivate var isOutOfRow: Bool { self == .externalStorage || self == .encrypt }
}
