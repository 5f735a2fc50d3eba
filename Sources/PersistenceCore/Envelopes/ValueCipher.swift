import Foundation

/// Encrypts the values of properties, so that whoever has the store's files and not the key can neither read a value nor
/// make one, nor pass one off as another property's.
package protocol ValueCipher: Sendable {
  func seal(_ bytes: UnsafeRawBufferPointer, entity: String, property: String) throws -> Data

  /// - Throws: When the bytes were not sealed by ``seal(_:entity:property:)`` with the same key, entity and property.
  func open(_ bytes: UnsafeRawBufferPointer, entity: String, property: String) throws -> Data
}
