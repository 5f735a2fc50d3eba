/// Marks a property whose column does not hold the plain value: the value is in a file, encrypted, or both.
package struct Envelope: Sendable, Hashable {
  /// Whether large values are stored in files beside the store.
  package let isExternal: Bool
  /// Whether the value is encrypted.
  package let isEncrypted: Bool
  /// The entity that declares the property. Encryption authenticates it.
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
  /// The envelope of a property; nil if its column holds the plain value.
  package func envelope(at position: Int) -> Envelope? {
    envelopes.indices.contains(position) ? envelopes[position] : nil
  }

  /// Whether a property is encrypted.
  package var hasEncrypted: Bool { envelopes.contains { $0?.isEncrypted == true } }

  /// Whether a property may be stored in files.
  package var hasExternal: Bool { envelopes.contains { $0?.isExternal == true } }
}
