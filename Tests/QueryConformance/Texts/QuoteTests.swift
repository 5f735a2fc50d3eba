import ConformanceSupport
import SwiftData
import Testing

/// Enum cases in which a combining mark follows a quote or a backslash. In Swift the two are one character; in SQL the
/// quote or backslash is separate and must be escaped.
private enum Tone: String, Codable, Comparable, CaseIterable {
  case marked = "it'\u{301}s"
  case joined = "'\u{200D}'"
  case plain = "it's"
  case escaped = "\\\u{301}'\u{301}"

  static func < (one: Tone, other: Tone) -> Bool {
    (allCases.firstIndex(of: one) ?? 0) < (allCases.firstIndex(of: other) ?? 0)
  }
}

@Model private final class Phrase {
  var text: String
  var tone: Tone

  init(_ text: String, _ tone: Tone) { (self.text, self.tone) = (text, tone) }
}

@Suite("Quotes and backslashes in texts of statements")
struct QuoteTests {
  @Test(
    "raw values in which a combining mark follows a quote or a backslash are sorted and found",
    arguments: Engine.allCases)
  func rawValues(_ engine: Engine) throws {
    let store = try TestStore(engine, [Phrase.self])
    let context = store.context()
    for tone in Tone.allCases.reversed() { context.insert(Phrase("'\u{301}; --", tone)) }
    try context.save()
    let sorted = try store.context().fetch(FetchDescriptor<Phrase>(sortBy: [SortDescriptor(\.tone)])).map(\.tone)
    #expect(sorted == Tone.allCases)
    for tone in Tone.allCases {
      #expect(try store.context().fetchCount(FetchDescriptor<Phrase>(predicate: #Predicate { $0.tone == tone })) == 1)
    }
    let text = "'\u{301}; --"
    #expect(try store.context().fetchCount(FetchDescriptor<Phrase>(predicate: #Predicate { $0.text == text })) == 4)
  }
}
