/// Says that the column of a property does not hold its value as it is: the value is kept in a file, sealed, or both.
package struct Envelope: Sendable, Hashable {
  /// Whether large values are kept in files beside the store.
  package let isExternal: Bool
  /// Whether the value is encrypted.
  package let isEncrypted: Bool
  /// The entity that declares the property, which a sealed value is bound to.
  package let entity: String
  package let property: String

  package init(isExternal: Bool, isEncrypted: Bool, entity: String, property: String) {
    self.isExternal = isExternal
    self.isEncrypted = isEncrypted
    self.entity = entity
    self.property = property
  }
}

extension EntityLayout {
  /// What the column of a property holds in the place of its value; nil when it holds the value.
  package func envelope(at position: Int) -> Envelope? {
    envelopes.indices.contains(position) ? envelopes[position] : nil
  }

  /// Whether a property is encrypted.
  package var hasEncrypted: Bool { envelopes.contains { $0?.isEncrypted == true } }

  /// Whether a property may be kept in files.
  package var hasExternal: Bool { envelopes.contains { $0?.isExternal == true } }
}
