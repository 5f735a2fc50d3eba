import ConformanceSupport
import Foundation
import SQLiteStore
import SeededNumbers
import Testing

/// Compares index keys of decimals. SQLite computes the keys by an expression that needs no function of the library,
/// for numbers of any size that a `Decimal` can have.
@Suite("Keys of decimals in indexes")
struct DecimalKeyTests {
  private let seed = SeededGenerator.chosenSeed

  /// The position of a number in the expected order, computed in another way: all numbers are padded to the same number
  /// of digits before and after the decimal point.
  private func place(_ text: String) -> (isNegative: Bool, digits: [UInt8]) {
    let isNegative = text.hasPrefix("-")
    let parts = (isNegative ? text.dropFirst() : text[...]).split(separator: ".")
    let whole = Array(parts[0].utf8)
    let fraction = parts.count > 1 ? Array(parts[1].utf8) : []
    let zero = UInt8(ascii: "0")
    return (
      isNegative,
      Array(repeating: zero, count: 200 - whole.count) + whole + fraction
        + Array(repeating: zero, count: 200 - fraction.count)
    )
  }

  private func isBefore(_ lhs: String, _ rhs: String) -> Bool {
    let (left, right) = (place(lhs), place(rhs))
    guard left.isNegative == right.isNegative else { return left.isNegative }
    return left.isNegative
      ? right.digits.lexicographicallyPrecedes(left.digits) : left.digits.lexicographicallyPrecedes(right.digits)
  }

  private func texts(_ count: Int) -> [String] {
    var generator = SeededGenerator(seed: seed)
    var texts: Set<String> = ["0", "1", "-1", "10", "-10", "0.1", "-0.1", "9.99", "-9.99", "-9", "9"]
    while texts.count < count {
      let digits = Int.random(in: 1...38, using: &generator)
      let number = (0..<digits).map { _ in String(Int.random(in: 0...9, using: &generator)) }.joined()
      guard let significand = Decimal(string: number), significand != 0 else { continue }
      let exponent = Int.random(in: -128...120, using: &generator)
      let text = Decimal(sign: .plus, exponent: exponent, significand: significand).description
      // Appending a digit yields a number close to the first one.
      let next = text.contains(".") ? text + "1" : text + ".1"
      for text in [text, next] { texts.formUnion([text, "-" + text]) }
    }
    return texts.sorted()
  }

  @Test(
    "SQLite sorts keys as the numbers: nil and not-a-number first, texts that are no numbers last")
  func order() throws {
    print("keys of decimals: seed \(seed)")
    let folder = try TemporaryFolder()
    let plain = try RawDatabase(folder.url.appending(path: "keys.db").path, mayCreate: true)
    let key = SQLiteDialect().key(ofDecimal: "number")
    let texts = texts(4_000)
    try plain.rows("CREATE TABLE numbers (number TEXT)")
    try plain.rows("CREATE INDEX keys ON numbers (\(key))")
    let values = (texts + ["NaN", "x"]).map { "('\($0)')" } + ["(NULL)"]
    try plain.rows("INSERT INTO numbers VALUES \(values.joined(separator: ", "))")
    let plan = try plain.rows("EXPLAIN QUERY PLAN SELECT number FROM numbers ORDER BY \(key)").map { $0[3] ?? "" }
    #expect(plan == ["SCAN numbers USING INDEX keys"])
    let found = try plain.rows("SELECT number FROM numbers ORDER BY \(key)").map { $0[0] }
    let wanted = [nil, "NaN"] + texts.sorted(by: isBefore) + ["x"]
    #expect(found == wanted, "seed \(seed)")
    for index in stride(from: 0, to: texts.count, by: 97) {
      let bound = SQLiteDialect().key(ofDecimal: "'\(texts[index])'")
      let count = try plain.column("SELECT count(*) FROM numbers WHERE \(key) < \(bound)")
      let before = texts.count { isBefore($0, texts[index]) } + 1
      #expect(count == ["\(before)"], "before \(texts[index]); seed \(seed)")
    }
    #expect(try plain.problems() == [])
    try plain.rows("DELETE FROM numbers WHERE rowid % 3 = 0")
    try plain.rows("VACUUM")
    #expect(try plain.problems() == [])
  }
}
