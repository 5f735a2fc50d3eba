/// The range of texts that start with a prefix, both in stored form.
///
/// The bytes of such texts start with those of the prefix: no character joins with what is behind it. Whether the last
/// character of the prefix ends there is not told by the range.
package enum TextPrefix {
  /// The least text, in the order of bytes, that follows every text with the prefix; nil when there is none.
  ///
  /// The bytes of UTF-8 are in the order of scalars. Every text whose bytes start with those of the prefix is at least the
  /// prefix and less than the result, and no other text is. The result is UTF-8, but need not be in stored form.
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
