import Foundation

extension Envelope {
  /// The envelope of a property, as its options ask for it; nil when they do not.
  ///
  /// A large value is kept in a file only where the file is all that anybody asks for: what has to be unique, or is
  /// looked up by an index, stays in its column, and so does what is no Data. The option is a hint, as it is Apple's.
  init?(_ metadata: Schema.PropertyMetadata, kind: PropertyKind, type: any Any.Type, of entity: Schema.Entity) {
    guard let attribute = metadata.metadata as? Schema.Attribute, !attribute.isTransient else { return nil }
    guard kind == .attribute || kind == .transformable else { return nil }
    let isBytes = kind == .transformable || type == Data.self
    let isInRule = (entity.uniquenessConstraints + entity.indices).contains { $0.contains(metadata.name) }
    let isSeen = attribute.isEnveloped || entity.isWrittenByHand
    let isExternal = attribute.options.contains(.externalStorage) && isSeen && isBytes && !isInRule
    let isEncrypted = attribute.options.contains(.encrypt)
    guard isExternal || isEncrypted else { return nil }
    self.init(
      isExternal: isExternal, isEncrypted: isEncrypted, entity: Self.declarer(of: metadata.name, entity).name,
      property: metadata.name)
  }

  /// The entity that declares a property, which is one for all that inherit it.
  private static func declarer(of property: String, _ entity: Schema.Entity) -> Schema.Entity {
    guard let base = entity.superentity, base.attributesByName[property] != nil else { return entity }
    return declarer(of: property, base)
  }
}

extension Schema.Entity {
  /// Whether the conformance of the model is written by hand: its rows are read and written by what the schema says, and no
  /// generated code has to have seen the options.
  package var isWrittenByHand: Bool { modelType.map { !$0._$isGenerated } ?? false }
}
