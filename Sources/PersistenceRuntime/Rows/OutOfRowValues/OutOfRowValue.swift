/// How a property stores a value whose plain form is not in the row: the value is in a file, encrypted, or both.
///
/// The column holds ciphertext, or the reference of a file, or, for an external value of few bytes, the value itself.
package struct OutOfRowValue: Sendable, Hashable {
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
  /// How a property's out-of-row value is stored; nil if its column holds the plain value.
  package func outOfRowValue(at position: Int) -> OutOfRowValue? {
    outOfRowValues.indices.contains(position) ? outOfRowValues[position] : nil
  }

  /// Whether a property is encrypted.
  package var hasEncrypted: Bool { outOfRowValues.contains { $0?.isEncrypted == true } }

  /// Whether a property may be stored in files.
  package var hasExternal: Bool { outOfRowValues.contains { $0?.isExternal == true } }
}
