import Foundation
import PersistenceSupport
import SeededNumbers
import Testing

@Suite("The stored form of decimals")
struct StoredDecimalTests {
  private func value(_ text: String) -> Decimal? {
    var text = text
    return text.withUTF8 { StoredDecimal.value(of: $0) }
  }

  private static let forms: [(Decimal, String)] = [
    (0, "0"), (-0, "0"), (Decimal(sign: .minus, exponent: 5, significand: 0), "0"), (1, "1"), (-1, "-1"), (100, "100"),
    (Decimal(sign: .plus, exponent: -2, significand: 150), "1.5"),
    (Decimal(sign: .minus, exponent: -2, significand: 5), "-0.05"),
    (Decimal(sign: .minus, exponent: -3, significand: 4_000), "-4"),
    (Decimal(sign: .plus, exponent: 3, significand: 12), "12000"),
    (Decimal(UInt64.max), "18446744073709551615"), (Decimal(UInt64.max) + 1, "18446744073709551616"),
    (Decimal(sign: .plus, exponent: 127, significand: 1), "1" + String(repeating: "0", count: 127)),
    (.leastNonzeroMagnitude.magnitude, StoredDecimalTests.least), (.nan, "NaN"),
    (.greatestFiniteMagnitude, "340282366920938463463374607431768211455" + String(repeating: "0", count: 127)),
  ]

  private static let least = Decimal.leastNonzeroMagnitude.description

  @Test("is one text for each number, without trailing zeros, exponent or -0", arguments: forms)
  func canonical(_ number: Decimal, _ text: String) {
    #expect(StoredDecimal.digits(of: number) == text)
    #expect(number.isNaN ? value(text)?.isNaN == true : value(text) == number)
  }

  @Test("has canonical digits and converts back to the number, for random numbers of up to 38 digits")
  func random() throws {
    let seed = SeededGenerator.chosenSeed
    print("stored decimals: seed \(seed)")
    var generator = SeededGenerator(seed: seed)
    for _ in 0..<20_000 {
      let digits = (0..<Int.random(in: 1...38, using: &generator)).map { _ in
        String(Int.random(in: 0...9, using: &generator))
      }
      let significand = try #require(Decimal(string: digits.joined()))
      let exponent = Int.random(in: -128...127, using: &generator)
      let number = Decimal(
        sign: Bool.random(using: &generator) ? .minus : .plus, exponent: exponent, significand: significand)
      let text = StoredDecimal.digits(of: number)
      guard !number.isNaN else { continue }
      let isCanonical = text.wholeMatch(of: /-?(0|[1-9][0-9]*)(\.[0-9]*[1-9])?/) != nil && text != "-0"
      #expect(isCanonical && value(text) == number, "\(text) of \(number); seed \(seed)")
      #expect(StoredDecimal.digits(of: number * 1) == text, "equal numbers, equal texts; seed \(seed)")
    }
  }

  @Test(
    "is read from texts that other programs write",
    arguments: [
      ("12.50", "12.5"), ("+1", "1"), ("1e3", "1000"), ("1.0e+20", "100000000000000000000"), (".5", "0.5"), ("5.", "5"),
      ("-0", "0"), ("-0.00", "0"), ("0012", "12"), ("1E-2", "0.01"), ("99999999999999999999", "99999999999999999999"),
      ("0." + String(repeating: "0", count: 300), "0"), ("18446744073709551616", "18446744073709551616"),
    ])
  func foreign(_ text: String, _ digits: String) {
    #expect(value(text).map(StoredDecimal.digits) == digits)
  }

  @Test(
    "is not read from other texts",
    arguments: [
      "", "-", ".", "+.", "1e", "e1", "1e+", "12abc", "1.2.3", " 1", "1 ", "--1", "nan", "inf", "1e999", "0x10",
      "1e2.5", "1,5",
    ])
  func noNumbers(_ text: String) { #expect(value(text) == nil) }
}
