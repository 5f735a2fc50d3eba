import SwiftData

extension Damager {
  static let integers: [Int64] = [
    0, 1, -1, 2, 127, 128, 255, 256, -128, -129, 32_767, 65_536, 1 << 31, -(1 << 31), 1 << 32, 1 << 53, .max, .min,
    .max - 1, .min + 1, 1 << 62, 63, 64,
  ]
  static let reals: [Double] = [
    0, -0.0, 0.5, 1e308, -1e308, .infinity, -.infinity, .leastNonzeroMagnitude, 1e18, 9.3e18, -9.3e18, 1.8e19, 1e40,
    1e-40, 2.5, 4_294_967_296.5, 63_113_904_000, 1e15,
  ]
  static let texts: [String] = [
    "", "0", "nan", "NaN", "inf", "-inf", "Infinity", "-0", "1e400", "1e-400", "\u{0}", "a\u{0}b", "null", "true",
    "[]", "{}", "\"", "[", "{", "[null]", "[[]]", "{\"\":null}", "[1e400]", "[-1]", "[18446744073709551616]",
    "[9223372036854775807]", "[1.5]", "[\"a\",1]", "{\"a\":1,\"a\":2}", "{\"1\":{}}", "[\"calm\",\"calm\"]",
    "{\"text\":{}}", "{\"text\":{\"_0\":1}}", "{\"size\":{\"width\":1e999}}", "{\"nothing\":{},\"text\":{\"_0\":\"\"}}",
    "[1,{\"x\":1,\"y\":2},1,{\"x\":1,\"y\":2}]", "[\"1\"]", "e\u{301}", "\u{FFFF}", "Car", "SportsCar", "Vehicle",
    "Book",
    "00000000-0000-0000-0000-000000000000", "http://[", "\\u", "[\"\\ud800\"]", "[1,]", "1e", ".", "+1",
    "1e99999999999",
    "-", "99999999999999999999999999999999999999999999999999.9", "1e-99999999999", "0x10", " 1", "1 ", "١",
  ]

  /// Returns a random value of any of SQLite's storage classes.
  mutating func value(insteadOf old: RawValue = .null) -> RawValue {
    switch number(0..<10) {
    case 0: .null
    case 1, 2: .integer(pick(Self.integers) ?? 0)
    case 3: .real(pick(Self.reals) ?? 0)
    case 4, 5: .text(pick(Self.texts) ?? "")
    case 6: largeText()
    case 7: blob()
    default: mutation(of: old)
    }
  }

  private mutating func largeText() -> RawValue {
    switch number(0..<7) {
    case 0: .text(String(repeating: "[", count: pick([100, 600, 5_000, 200_000]) ?? 1))
    case 1: .text(nested(pick([100, 500, 520, 5_000, 100_000]) ?? 1, "[", "]"))
    case 2: .text(nested(pick([100, 500, 520, 5_000, 100_000]) ?? 1, "{\"a\":", "}"))
    case 3: .text([0xFF, 0xFE, 0x80, 0xC0, 0x80, 0xED, 0xA0, 0x80])
    case 4: .text(String(repeating: "9", count: pick([18, 19, 20, 38, 39, 400, 100_000]) ?? 1))
    case 5: .text([UInt8](repeating: 0, count: 50))
    default: .text("[" + String(repeating: "0,", count: 5_000) + "0]")
    }
  }

  private func nested(_ depth: Int, _ opening: String, _ closing: String) -> String {
    String(repeating: opening, count: depth) + "1" + String(repeating: closing, count: depth)
  }

  private mutating func blob() -> RawValue {
    let count = pick([0, 1, 7, 8, 9, 12, 15, 16, 17, 28, 32, 33, 100, 4_096, 110_000]) ?? 0
    guard chance(2) else { return .blob([UInt8](repeating: pick([0, 1, 0x7F, 0xFF]) ?? 0, count: count)) }
    return .blob((0..<count).map { _ in UInt8.random(in: 0...255, using: &generator) })
  }

  /// Returns the old value with a small change, so that the result is nearly valid.
  mutating func mutation(of old: RawValue) -> RawValue {
    switch old {
    case .null: .text("[]")
    case .integer(let number):
      chance(2) ? .integer(number &+ 1) : chance(2) ? .real(Double(number)) : .text("\(number)")
    case .real(let number): chance(2) ? .real(-number * 1e10) : .integer(Int64(exactly: number.rounded()) ?? 0)
    case .text(let bytes): chance(8) ? .blob(bytes) : .text(mutated(bytes))
    case .blob(let bytes): chance(8) ? .text(bytes) : .blob(mutated(bytes))
    }
  }

  /// Returns the bytes with one to three changes. Each change removes, duplicates, replaces or inserts bytes.
  mutating func mutated(_ bytes: [UInt8]) -> [UInt8] {
    var bytes = bytes
    for _ in 0...number(0..<3) {
      let start = number(0..<bytes.count + 1)
      let end = min(bytes.count, start + number(0..<8))
      switch number(0..<6) {
      case 0: bytes.removeSubrange(start..<end)
      case 1: bytes.insert(contentsOf: bytes[start..<end], at: start)
      case 2: bytes.replaceSubrange(start..<end, with: Array((pick(Self.texts) ?? "").utf8))
      case 3: bytes = Array(bytes.prefix(start))
      case 4: replaceToken(in: &bytes)
      default: if start < bytes.count { bytes[start] = UInt8.random(in: 0...255, using: &generator) }
      }
    }
    return bytes
  }

  /// Replaces one number, string or literal of a JSON text with another value, which may be invalid.
  private mutating func replaceToken(in bytes: inout [UInt8]) {
    let text = String(decoding: bytes, as: UTF8.self)
    guard let token = pick(text.ranges(of: /"[^"]*"|-?[0-9.]+|true|false|null/)) else { return }
    let other = pick(["null", "[]", "{}", "\"\"", "-1", "1e400", "9223372036854775808", "true", "\"x\"", "0", "1.5"])
    bytes = Array(text.replacingCharacters(in: token, with: other ?? "").utf8)
  }
}
