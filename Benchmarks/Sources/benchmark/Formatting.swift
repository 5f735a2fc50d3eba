import Foundation

extension Int {
  /// The number with thousands separators.
  var grouped: String {
    var digits = Array(String(self))
    for position in stride(from: digits.count - 3, to: 0, by: -3) { digits.insert(",", at: position) }
    return String(digits)
  }
}

extension Double {
  /// The number with a fixed number of decimal places.
  func fixed(_ digits: Int) -> String {
    String(format: "%.\(digits)f", self)
  }

  /// The number as a ratio, such as "1.25×", with three decimal places below 0.1 and two otherwise.
  var asRatio: String {
    (self < 0.1 ? fixed(3) : fixed(2)) + "×"
  }

  /// A number of milliseconds as text, with about three significant digits.
  var asMilliseconds: String {
    self < 9.995 ? fixed(2) : self < 99.95 ? fixed(1) : Int(rounded()).grouped
  }

  /// A number of milliseconds for several operations as text: the time of one operation, in nanoseconds or
  /// microseconds.
  func perOperation(_ operations: Int) -> String {
    let nanoseconds = self * 1_000_000 / Double(operations)
    return nanoseconds < 1000 ? "\(nanoseconds.fixed(0)) ns" : "\((nanoseconds / 1000).fixed(2)) µs"
  }

  /// A number of milliseconds as text, in nanoseconds, microseconds or milliseconds.
  var asDuration: String { self < 10 ? perOperation(1) : "\(asMilliseconds) ms" }

  /// A number of bytes as text, in units of 2²⁰ bytes.
  var asMebibytes: String {
    (self / 1_048_576).fixed(0) + " MiB"
  }
}

extension String {
  /// The text with blanks before it, so that it has at least the given width.
  func leftPadded(_ width: Int) -> String {
    String(repeating: " ", count: max(0, width - count)) + self
  }

  /// The text with blanks behind it, so that it has at least the given width.
  func rightPadded(_ width: Int) -> String {
    self + String(repeating: " ", count: max(0, width - count))
  }
}
