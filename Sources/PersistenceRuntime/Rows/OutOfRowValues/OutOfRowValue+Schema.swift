import Foundation

extension OutOfRowValue {
  /// Creates the storage that a property's options request; nil without such options.
  ///
  /// A large value goes to a file only if no rule needs its column: values that are unique or indexed stay in it, and
  /// so do types other than Data. The option is a hint, as Apple's is.
  init?(_ metadata: Schema.PropertyMetadata, kind: PropertyKind, type: any Any.Type, of entity: Schema.Entity) {
    guard let attribute = metadata.metadata as? Schema.Attribute, !attribute.isTransient else { return nil }
    guard kind == .attribute || kind == .transformable else { return nil }
    let isBytes = kind == .transformable || type == Data.self
    let isSeen = attribute.isOutOfRow || entity.isWrittenByHand
    let isExternal =
      attribute.options.contains(.externalStorage) && isSeen && isBytes && !entity.isInRule(metadata.name)
    let isEncrypted = attribute.options.contains(.encrypt)
    guard isExternal || isEncrypted else { return nil }
    self.init(
      isExternal: isExternal, isEncrypted: isEncrypted, entity: entity.declaringEntity(of: metadata.name).name,
      property: metadata.name)
  }
}

extension Schema.Entity {
  /// Whether a uniqueness rule or an index of the entity, or of one that it inherits from, names a property.
  package func isInRule(_ name: String) -> Bool {
    ([self] + superentities).contains { ($0.uniquenessConstraints + $0.indices).joined().contains(name) }
  }

  /// Whether the model's conformance is hand-written. Its rows are coded by the schema, so its options need not be
  /// known to generated code.
  package var isWrittenByHand: Bool { modelType.map { !$0._$isGenerated } ?? false }
}
