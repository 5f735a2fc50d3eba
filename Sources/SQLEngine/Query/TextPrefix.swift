/// The range of texts that start with a prefix.
package enum TextPrefix {
  /// The least text, in the order of scalars, that follows every text with the prefix; nil when there is none.
  ///
  /// Every text that starts with the prefix is at least the prefix and less than the result, and no other text is.
  package static func end(of prefix: String) -> String? {
    var scalars = Array(prefix.unicodeScalars)
    while let last = scalars.popLast() {
      guard let next = successor(of: last) else { continue }
      scalars.append(next)
      var result = String.UnicodeScalarView()
      result.append(contentsOf: scalars)
      return String(result)
    }
    return nil
  }

  /// The scalar after one; surrogates are no scalars.
  private static func successor(of scalar: Unicode.Scalar) -> Unicode.Scalar? {
    scalar.value == 0xD7FF ? Unicode.Scalar(0xE000) : Unicode.Scalar(scalar.value + 1)
  }
}
