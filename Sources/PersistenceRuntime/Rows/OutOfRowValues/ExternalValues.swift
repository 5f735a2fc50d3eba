import Foundation

/// Stores values that are too large for rows, within a transaction.
package protocol ExternalValueWriter: AnyObject {
  /// The greatest number of bytes that stays in the row.
  var largestInline: Int { get }

  /// Stores bytes and returns the reference for the row, which is text where a plain value would be a blob.
  ///
  /// Rolling back the transaction or the enclosing savepoint removes the value.
  func keep(_ bytes: UnsafeRawBufferPointer) throws -> String

  /// The position from which on later values are stored.
  var mark: Int64 { get }

  /// Removes the values stored since a mark, because their row was not written.
  func discard(from mark: Int64)
}

/// Reads values that are too large for rows.
package protocol ExternalValueReader: Sendable {
  /// Returns the bytes of a reference.
  ///
  /// - Throws: ``UnreadableExternalValue`` if bytes are missing.
  func bytes(of reference: String) throws -> Data
}

/// A row refers to an external value that cannot be read.
package struct UnreadableExternalValue: Error, CustomStringConvertible {
  /// The cause and the remedy; continues "the property: ".
  package let reason: String

  package init(_ reason: String) {
    self.reason = reason
  }

  package var description: String { "a value outside of the rows cannot be read" }
}
