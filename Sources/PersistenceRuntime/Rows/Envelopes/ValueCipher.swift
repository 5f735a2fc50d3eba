import Foundation

/// Encrypts the values of properties, so that whoever has the store's files and not the key can neither read a value nor
/// make one, nor pass one off as another property's.
///
/// Values are sealed with one key, the present one, and may have been with former ones. A value does not say with which:
/// it is authenticated, so that only its own key opens it.
package protocol ValueCipher: Sendable {
  func seal(_ bytes: UnsafeRawBufferPointer, entity: String, property: String) throws -> Data

  /// - Throws: When the bytes were not sealed by ``seal(_:entity:property:)`` with the same key, entity and property.
  func open(_ bytes: UnsafeRawBufferPointer, entity: String, property: String) throws -> Data

  /// Whether it opens values that were sealed with other keys than the one it seals with.
  var hasFormerKeys: Bool { get }

  /// Seals a value anew that was sealed with a former key; nil when it was with the present one.
  ///
  /// - Throws: When it was sealed with neither.
  func resealed(_ bytes: UnsafeRawBufferPointer, entity: String, property: String) throws -> Data?
}
