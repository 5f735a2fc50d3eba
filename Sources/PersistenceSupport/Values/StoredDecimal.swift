import Foundation

/// The canonical text in which stores store a decimal number. Each number has exactly one such text.
///
/// The format is `-?(0|[1-9][0-9]*)(\.[0-9]*[1-9])?`, or `NaN`. It has no exponent and no -0, so equal numbers have
/// equal bytes.
///
/// Foundation does not give access to the words of a mantissa on every system. A mantissa of up to 64 bits can be read
/// as an integer. Its digits are written here, in a tenth of the time of `description`, which longer mantissas use.
///
/// The temporary buffer cannot overflow: it has room for the longest text, because exponents are checked before.
package enum StoredDecimal {
  /// The stored text of not-a-number.
  package static let notANumber = "NaN"

  private static let zero = UInt8(ascii: "0")
  private static let point = UInt8(ascii: ".")
  private static let minus = UInt8(ascii: "-")
  private static let plus = UInt8(ascii: "+")
  /// The range of exponents of a `Decimal`.
  private static let exponents = -128...127

  // MARK: Writing

  /// The canonical digits of a number.
  package static func digits(of value: Decimal) -> String {
    guard !value.isNaN else { return notANumber }
    let (significand, exponent) = (value.significand, value.exponent)
    let word = NSDecimalNumber(decimal: significand).uint64Value
    // If the significand has more than 64 bits, the word contains only its lower 64 bits, so the two differ.
    guard Decimal(word) == significand, exponents.contains(exponent) else { return trimmed(value.description) }
    return digits(of: word, exponent: exponent, isNegative: value.isSignMinus)
  }

  /// The canonical digits of an integer times a power of ten.
  private static func digits(of word: UInt64, exponent: Int, isNegative: Bool) -> String {
    guard word != 0 else { return "0" }
    var (word, exponent) = (word, exponent)
    while exponent < 0, word % 10 == 0 { (word, exponent) = (word / 10, exponent + 1) }
    // The longest text has a sign, 20 digits and 127 zeros. The longest one with a point has a sign and 129 digits.
    return withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 160) { buffer in
      var start = buffer.count
      func prepend(_ byte: UInt8) {
        start -= 1
        buffer[start] = byte
      }
      for _ in 0..<max(0, exponent) { prepend(zero) }
      var place = exponent
      while word != 0 || place <= 0 {
        if place == 0, exponent < 0 { prepend(point) }
        prepend(zero + UInt8(truncatingIfNeeded: word % 10))
        word /= 10
        place += 1
      }
      if isNegative { prepend(minus) }
      return String(decoding: UnsafeBufferPointer(rebasing: buffer[start...]), as: UTF8.self)
    }
  }

  /// The canonical digits of a description, which may have trailing zeros after its point and a sign before a zero.
  private static func trimmed(_ description: String) -> String {
    var text = Substring(description)
    if text.utf8.contains(point) {
      while text.utf8.last == zero { text.removeLast() }
      if text.utf8.last == point { text.removeLast() }
    }
    return text == "-0" ? "0" : String(text)
  }

  // MARK: Reading

  /// The number that a text represents. Also accepts notations that other programs write: `12.50`, `+1`, `1e3`.
  ///
  /// - Parameter bytes: The text in UTF-8.
  /// - Returns: nil if the text is not a number, or if no `Decimal` approximates the number.
  package static func value(of bytes: UnsafeBufferPointer<UInt8>) -> Decimal? {
    let isNegative = bytes.first == minus
    var index = isNegative || bytes.first == plus ? 1 : 0
    var (word, digitCount, exponent) = (UInt64(0), 0, 0)
    var (isBehindPoint, hasDigits) = (false, false)
    while index < bytes.count {
      let digit = bytes[index] &- zero
      if digit < 10 {
        word = word &* 10 &+ UInt64(digit)
        // Leading zeros are not counted as digits.
        if digitCount | Int(digit) != 0 { digitCount &+= 1 }
        if isBehindPoint { exponent &-= 1 }
        hasDigits = true
      } else if bytes[index] == point, !isBehindPoint {
        isBehindPoint = true
      } else {
        return describedValue(of: bytes)
      }
      index &+= 1
    }
    if hasDigits, digitCount == 0 { return 0 }
    // Any number of 19 digits fits into 64 bits.
    guard hasDigits, digitCount < 20, exponents.contains(exponent) else { return describedValue(of: bytes) }
    return Decimal(sign: isNegative ? .minus : .plus, exponent: exponent, significand: Decimal(word))
  }

  /// The number that a text represents if the text is long, has an exponent, or may not be a number.
  private static func describedValue(of bytes: UnsafeBufferPointer<UInt8>) -> Decimal? {
    let text = String(decoding: bytes, as: UTF8.self)
    if text == notANumber { return .nan }
    // The text is checked first: Foundation would ignore everything after a character that it cannot parse.
    return isNumber(bytes) ? Decimal(string: text) : nil
  }

  private static func isNumber(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
    var rest = bytes[...]
    func skipSign() { if let first = rest.first, first == minus || first == plus { rest.removeFirst() } }
    func skipDigits() -> Int {
      let count = rest.prefix { $0 &- zero < 10 }.count
      rest.removeFirst(count)
      return count
    }
    skipSign()
    var digitCount = skipDigits()
    if rest.first == point {
      rest.removeFirst()
      digitCount += skipDigits()
    }
    guard digitCount > 0, let mark = rest.popFirst() else { return digitCount > 0 }
    guard mark == UInt8(ascii: "e") || mark == UInt8(ascii: "E") else { return false }
    skipSign()
    return skipDigits() > 0 && rest.isEmpty
  }
}
