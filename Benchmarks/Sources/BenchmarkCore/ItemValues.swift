import Foundation

/// The values of one row, from which each contender creates its own object.
public struct ItemValues: ItemFields, Sendable {
  public let name: String
  public let title: String
  public let body: String
  public let count: Int
  public let score: Double
  public let created: Date
  public let note: String?

  /// The values of row number `row`. Names differ from row to row, so that sorting by name leaves no ties; scores and
  /// dates are multiples of a quarter, so that sums are exact and no epoch rounds them.
  init(row: Int, countDomain: Int, random: inout SeededGenerator) {
    name = Self.text(6...14, random: &random) + "." + String(row, radix: 36)
    title = Self.text(14...26, random: &random)
    body = Self.text(16...36, random: &random)
    count = Int.random(in: 0..<countDomain, using: &random)
    score = Double(Int.random(in: 0..<4000, using: &random)) / 4
    created = Date(timeIntervalSinceReferenceDate: Double(Int.random(in: 0..<3_000_000_000, using: &random)) / 4)
    note = row.isMultiple(of: 2) ? nil : Self.text(10...30, random: &random)
  }

  /// A text with a random number of letters in the given range. One text in twenty starts with a letter outside ASCII.
  private static func text(_ lengths: ClosedRange<Int>, random: inout SeededGenerator) -> String {
    let letters = Array("etaoinshrdlucmwfgypb ".utf8)
    let length = Int.random(in: lengths, using: &random)
    let ascii = (0..<length).map { _ in letters[Int.random(in: 0..<letters.count, using: &random)] }
    let text = String(decoding: ascii, as: UTF8.self)
    guard Int.random(in: 0..<20, using: &random) == 0 else { return text }
    return ["é", "ß", "ж", "語"][length % 4] + text.dropFirst()
  }
}
