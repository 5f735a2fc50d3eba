/// The one form in which a store keeps a decimal number, without making the number: see ``StoredDecimal``.
enum CanonicalDecimal {
  /// The digits that a `Decimal` keeps, however they are.
  private static let mostDigits = 38
  private static let (minus, plus, point, zero) = (
    UInt8(ascii: "-"), UInt8(ascii: "+"), UInt8(ascii: "."), UInt8(ascii: "0")
  )

  /// Whether a text is `-?(0|[1-9][0-9]*)(\.[0-9]*[1-9])?`, and not -0, or `NaN`.
  static func isCanonical(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
    if bytes.elementsEqual("NaN".utf8) { return true }
    let digits = bytes.first == minus ? bytes.dropFirst() : bytes[...]
    let whole = digits.prefix(while: isDigit)
    let fraction = digits.dropFirst(whole.count)
    guard let first = whole.first, first != zero || whole.count == 1 else { return false }
    if fraction.isEmpty { return first != zero || digits.count == bytes.count }
    guard fraction.first == point, fraction.count > 1, let last = fraction.last, last != zero else { return false }
    return fraction.dropFirst().allSatisfy(isDigit)
  }

  /// Whether a decimal has all digits of a text that is a number.
  static func isExact(_ text: String) -> Bool {
    let digits = text.utf8.prefix { isDigit($0) || [minus, plus, point].contains($0) }.filter(isDigit)
    let significant = digits.drop { $0 == zero }.reversed().drop { $0 == zero }
    return significant.count <= mostDigits
  }

  private static func isDigit(_ byte: UInt8) -> Bool { byte &- zero < 10 }
}
