import Foundation

/// Encrypts and authenticates property values: without the key, the store's files reveal no value, and no value can be
/// forged or moved to another property.
///
/// Values are sealed with the current key; existing ones may be sealed with former keys. A value does not name its key:
/// authentication finds it.
package protocol ValueCipher: Sendable {
  func seal(_ bytes: UnsafeRawBufferPointer, entity: String, property: String) throws -> Data

  /// - Throws: If the bytes were not sealed with one of the keys for the same entity and property.
  func open(_ bytes: UnsafeRawBufferPointer, entity: String, property: String) throws -> Data

  /// Whether it opens values sealed with keys other than the current one.
  var hasFormerKeys: Bool { get }

  /// Seals a value with the current key; nil if it is sealed with that already.
  ///
  /// - Throws: If none of the keys opens it.
  func resealed(_ bytes: UnsafeRawBufferPointer, entity: String, property: String) throws -> Data?
}
