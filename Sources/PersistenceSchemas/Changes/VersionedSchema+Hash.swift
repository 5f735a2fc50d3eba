import Foundation
import PersistenceRuntime
import PersistenceSupport

extension VersionedSchema {
  /// A hash of the version's models as hexadecimal text. Ours.
  ///
  /// A released version must not be edited later. To detect such an edit, compare the hash in a test with its value at
  /// the time of the release. The hash depends neither on the order of declarations nor on ``versionIdentifier``.
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
  /// A hash of the entities as hexadecimal text. Schemas with the same entities have the same hash. Ours.
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
    let text = String(StableHash.value(of: data), radix: 16)
    return String(repeating: "0", count: 32 - text.count) + text
  }
}
