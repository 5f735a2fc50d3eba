import Foundation
import PersistenceRuntime
import PersistenceSupport

extension VersionedSchema {
  /// A number, in hexadecimal, that is the same for two versions only if they are alike. Ours.
  ///
  /// A test that compares it with what it was when the version shipped finds out when somebody edits the version
  /// afterwards. It does not depend on the order of declarations, nor on ``versionIdentifier``.
  ///
  /// - Throws: `SwiftDataError.valueNotStorable` when the schema cannot be written down.
  public static func contentHash() throws -> String {
    try Schema(versionedSchema: Self.self).contentHash()
  }
}

extension Schema {
  /// A number, in hexadecimal, that is the same for two schemas only if their entities are alike. Ours.
  ///
  /// - Throws: `SwiftDataError.valueNotStorable` when the schema cannot be written down.
  public func contentHash() throws -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    let data: Data
    do {
      data = try encoder.encode(SchemaForm.entities(of: self))
    } catch {
      throw SwiftDataError(.valueNotStorable, "The schema cannot be written as JSON.", underlying: error)
    }
    // FNV-1a of 128 bits: nobody attacks a test of their own, and accidents do not hit one in 2^128.
    var hash: UInt128 = 0x6c62_272e_07bb_0142_62b8_2175_6295_c58d
    let prime: UInt128 = 0x0000_0000_0100_0000_0000_0000_0000_013b
    for byte in data { hash = (hash ^ UInt128(byte)) &* prime }
    let text = String(hash, radix: 16)
    return String(repeating: "0", count: 32 - text.count) + text
  }
}
