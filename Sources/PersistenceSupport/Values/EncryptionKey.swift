import Foundation

extension _PersistenceRuntime {
  /// The key of a store's encrypted attributes. Ours.
  ///
  /// A key has 32 random bytes. They are created by this type or by a key management service. A password is not a key.
  /// Descriptions of a key never contain the bytes. The memory of the bytes is not overwritten after use.
  ///
  /// ```swift
  /// let key = EncryptionKey()
  /// try secrets.write(key.data)
  /// ```
  public struct EncryptionKey: Hashable, Sendable {
    package let bytes: [UInt8]

    /// The number of bytes in a key.
    public static let byteCount = 32

    /// Creates a key from the system's random number generator.
    public init() {
      var generator = SystemRandomNumberGenerator()
      bytes = (0..<Self.byteCount).map { _ in UInt8.random(in: .min ... .max, using: &generator) }
    }

    /// Creates a key from its bytes.
    ///
    /// - Parameter bytes: The bytes. The result is nil if their number is not ``byteCount``.
    public init?(bytes: some Collection<UInt8>) {
      guard bytes.count == Self.byteCount else { return nil }
      self.bytes = Array(bytes)
    }

    /// The bytes of the key. The program has to store them in a safe place.
    public var data: Data { Data(bytes) }
  }
}

extension _PersistenceRuntime.EncryptionKey: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  /// A description without the bytes.
  public var description: String { "EncryptionKey(…)" }
  public var debugDescription: String { description }
  public var customMirror: Mirror { Mirror(self, children: []) }
}

/// Encrypts and authenticates property values. A program without the key can neither read a value in the store's files,
/// nor forge it, nor move it to another property.
///
/// Values are sealed (encrypted and authenticated) with the current key. Existing values may be sealed with former
/// keys. A value does not name its key. To open it, the keys are tried until one of them authenticates the value.
package protocol ValueCipher: Sendable {
  func seal(_ bytes: UnsafeRawBufferPointer, entity: String, property: String) throws -> Data

  /// - Throws: If the bytes were not sealed for the same entity and property, with one of the keys.
  func open(_ bytes: UnsafeRawBufferPointer, entity: String, property: String) throws -> Data

  /// Whether the cipher also opens values that were sealed with keys other than the current one.
  var hasFormerKeys: Bool { get }

  /// Seals a value with the current key; nil if the value is already sealed with that key.
  ///
  /// - Throws: If none of the keys opens the value.
  func resealed(_ bytes: UnsafeRawBufferPointer, entity: String, property: String) throws -> Data?
}
