/// The error of a row whose external value, such as a file, cannot be read.
package struct UnreadableExternalValue: Error, CustomStringConvertible {
  /// What is wrong and what to do. The text of the final error has the property's name before it.
  package let reason: String

  package init(_ reason: String) {
    self.reason = reason
  }

  package var description: String { "a value outside of the rows cannot be read" }
}
