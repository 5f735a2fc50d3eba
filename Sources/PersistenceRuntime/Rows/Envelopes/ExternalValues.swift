import Foundation

/// Where an engine keeps values that are too large for rows, while a transaction writes them.
package protocol ExternalValueWriter: AnyObject {
  /// The greatest number of bytes that stays in the row.
  var largestInline: Int { get }

  /// Keeps bytes and returns what the row holds in their place, which is text where bytes would be.
  ///
  /// The value is gone again when the transaction is undone, or what of it wrote the value.
  func keep(_ bytes: UnsafeRawBufferPointer) throws -> String

  /// Where what is kept from now on begins.
  var mark: Int64 { get }

  /// Gives up what was kept since a mark, because the row that was to refer to it was not written.
  func discard(from mark: Int64)
}

/// Where an engine keeps values that are too large for rows, for reading.
package protocol ExternalValueReader: Sendable {
  /// The bytes that a row refers to.
  ///
  /// - Throws: ``UnreadableExternalValue`` when they are not there, or not all of them.
  func bytes(of reference: String) throws -> Data
}

/// A value that its row refers to and that cannot be read.
package struct UnreadableExternalValue: Error, CustomStringConvertible {
  /// What is wrong, and what to do, in words that continue "the property: ".
  package let reason: String

  package init(_ reason: String) {
    self.reason = reason
  }

  package var description: String { "a value outside of the rows cannot be read" }
}
