import Foundation
import PersistenceRuntime
import PersistenceSupport

extension VersionedSchema {
  /// A hash of the version's models as hexadecimal text. Ours.
  ///
  /// Compare it in a test with its value at release, to detect later edits of the version. It depends neither on the
  /// order of declarations nor on ``versionIdentifier``.
  ///
  /// ```swift
  /// #expect(try TripsV1.contentHash() == "a1c8…")
  /// ```
  ///
  /// - Throws: `SwiftDataError.valueNotStorable` if the schema cannot be encoded.
  public static func contentHash() throws -> String {
    try Schema(versionedSchema: Self.self).contentHash()
  }
}

extension Schema {
  /// A hash of the entities as hexadecimal text, equal for schemas with equal entities. Ours.
  ///
  /// - Returns: 32 hexadecimal digits.
  /// - Throws: `SwiftDataError.valueNotStorable` if the schema cannot be encoded.
  public func contentHash() throws -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    let data: Data
    do {
      data = try encoder.encode(SchemaForm.entities(of: self))
    } catch {
      throw SwiftDataError(.valueNotStorable, "The schema cannot be written as JSON.", underlying: error)
    }
    // FNV-1a with 128 bits: collisions are improbable, and attacks irrelevant for tests.
    var hash: UInt128 = 0x6c62_272e_07bb_0142_62b8_2175_6295_c58d
    let prime: UInt128 = 0x0000_0000_0100_0000_0000_0000_0000_013b
    for byte in data { hash = (hash ^ UInt128(byte)) &* prime }
    let text = String(hash, radix: 16)
    return String(repeating: "0", count: 32 - text.count) + text
  }
}
