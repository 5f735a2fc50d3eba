import Foundation

extension _PersistenceRuntime {
  /// The key that a store's encrypted attributes are encrypted with. Ours.
  ///
  /// 32 bytes that nobody can guess: made here, or by whatever keeps the program's secrets. A password is no key. The
  /// bytes never show in a description, and are not wiped from memory.
  public struct EncryptionKey: Hashable, Sendable {
    package let bytes: [UInt8]

    /// The number of bytes of every key.
    public static let byteCount = 32

    /// Makes a new key of the system's random numbers.
    public init() {
      var generator = SystemRandomNumberGenerator()
      bytes = (0..<Self.byteCount).map { _ in UInt8.random(in: .min ... .max, using: &generator) }
    }

    /// Takes the bytes of a key; nil unless there are 32.
    public init?(bytes: some Collection<UInt8>) {
      guard bytes.count == Self.byteCount else { return nil }
      self.bytes = Array(bytes)
    }

    /// The bytes, for whoever keeps them in a safe place.
    public var data: Data { Data(bytes) }
  }
}

extension _PersistenceRuntime.EncryptionKey: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  public var description: String { "EncryptionKey(…)" }
  public var debugDescription: String { description }
  public var customMirror: Mirror { Mirror(self, children: []) }
}
