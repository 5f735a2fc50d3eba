/// The range of texts that start with a prefix.
package enum TextPrefix {
  /// The part of a prefix that texts with the prefix start with however their accents are written: its ASCII characters
  /// up to the first other one, without the one before that, which may be a letter that carries it.
  package static func stablePart(of prefix: String) -> String {
    let utf8 = prefix.utf8
    guard let other = utf8.firstIndex(where: { $0 >= 0x80 }) else { return prefix }
    return other == utf8.startIndex ? "" : String(prefix.unicodeScalars[..<utf8.index(before: other)])
  }

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
