/// A row refers to an external value that cannot be read.
package struct UnreadableExternalValue: Error, CustomStringConvertible {
  /// The cause and the remedy; follows "the property: " in the error's text.
  package let reason: String

  package init(_ reason: String) {
    self.reason = reason
  }

  package var description: String { "a value outside of the rows cannot be read" }
}
