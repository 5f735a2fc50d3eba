import Foundation

/// The one form in which a store keeps a decimal number: `-?(0|[1-9][0-9]*)(\.[0-9]*[1-9])?`, never `-0`, or `NaN`.
enum CanonicalDecimal {
  static func isCanonical(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
    if bytes.elementsEqual("NaN".utf8) { return true }
    let digits = bytes.first == minus ? bytes.dropFirst() : bytes[...]
    let whole = digits.prefix { isDigit($0) }
    let fraction = digits.dropFirst(whole.count)
    guard let first = whole.first, first != zero || whole.count == 1 else { return false }
    if fraction.isEmpty { return first != zero || digits.count == bytes.count }
    guard fraction.first == point, fraction.count > 1, let last = fraction.last, last != zero else { return false }
    return fraction.dropFirst().allSatisfy(isDigit)
  }

  /// The form of a number that was written in another way, as `12.50`, `+3` or `1e3`; nil if the text is no number, or none
  /// that a decimal holds exactly.
  static func form(of text: String) -> String? {
    guard let number = parse(text), number.digits.count <= 38 else { return nil }
    let digits = number.digits
    if digits.isEmpty { return "0" }
    // Beyond these a decimal would round, or has no such number.
    guard (-128...127).contains(number.exponent) else { return nil }
    return (number.isNegative ? "-" : "") + written(digits, exponent: number.exponent)
  }

  // MARK: Digits

  private static let (minus, plus, point, zero) = (
    UInt8(ascii: "-"), UInt8(ascii: "+"), UInt8(ascii: "."), UInt8(ascii: "0")
  )

  private static func isDigit(_ byte: UInt8) -> Bool { byte &- zero < 10 }

  /// A number without zeros at both ends: its digits times a power of ten.
  private struct Number {
    var isNegative = false
    var digits: [UInt8] = []
    var exponent = 0
  }

  private static func parse(_ text: String) -> Number? {
    var rest = Array(text.utf8)[...]
    var number = Number()
    if let sign = rest.first, sign == minus || sign == plus {
      number.isNegative = sign == minus
      rest.removeFirst()
    }
    let whole = rest.prefix(while: isDigit)
    rest = rest.dropFirst(whole.count)
    var fraction: ArraySlice<UInt8> = []
    if rest.first == point {
      fraction = rest.dropFirst().prefix(while: isDigit)
      rest = rest.dropFirst(fraction.count + 1)
    }
    guard !(whole.isEmpty && fraction.isEmpty), let power = exponent(rest) else { return nil }
    number.digits = Array((whole + fraction).drop { $0 == zero })
    number.exponent = power - fraction.count
    while number.digits.last == zero {
      number.digits.removeLast()
      number.exponent += 1
    }
    return number
  }

  /// The power of ten that stands behind the digits; nil if something else does.
  private static func exponent(_ rest: ArraySlice<UInt8>) -> Int? {
    guard let mark = rest.first else { return 0 }
    guard mark == UInt8(ascii: "e") || mark == UInt8(ascii: "E") else { return nil }
    return Int(String(decoding: rest.dropFirst(), as: UTF8.self)).flatMap { (-1_000...1_000).contains($0) ? $0 : nil }
  }

  private static func written(_ digits: [UInt8], exponent: Int) -> String {
    let zeros = [UInt8](repeating: zero, count: max(0, exponent))
    guard exponent < 0 else { return String(decoding: digits + zeros, as: UTF8.self) }
    let padded = [UInt8](repeating: zero, count: max(0, 1 - exponent - digits.count)) + digits
    let whole = padded.dropLast(-exponent)
    return String(decoding: whole + [point] + padded.suffix(-exponent), as: UTF8.self)
  }
}
