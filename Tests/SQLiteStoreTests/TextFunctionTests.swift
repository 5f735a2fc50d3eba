import SQLiteStore
import Testing

@Suite("SQL functions on texts in stored form")
struct TextFunctionTests {
  /// One scalar of each kind that may form one character with its neighbours: letters and combining marks, line ends,
  /// escaped scalars, Hangul syllables and final letters, and scalars that join others.
  private static let scalars: [Unicode.Scalar] = [
    "a", "\r", "\n", "\0", "\u{1}", "\u{2}", "e", "\u{301}", "\u{E9}", "\u{439}", "\u{304B}", "\u{304C}", "\u{3099}",
    "\u{AC00}", "\u{11A8}", "\u{600}", "\u{200D}", "\u{1F468}", "\u{1F1E9}", "\u{4E2D}", "\u{ED}", "\u{D7A3}",
    "\u{D7B0}",
  ]

  private static func text(_ scalars: some Sequence<Unicode.Scalar>) -> String {
    var view = String.UnicodeScalarView()
    view.append(contentsOf: scalars)
    return String(view)
  }

  /// All texts that consist of three of these scalars.
  private static let texts = scalars.flatMap { first in
    scalars.flatMap { second in scalars.map { third in [first, second, third] } }
  }

  private static func hasPart<Whole: Collection, Part: Collection>(_ whole: Whole, _ part: Part) -> Bool
  where Whole.Element == Part.Element, Whole.Element: Equatable {
    whole.contains(part)
  }

  @Test("a search compares characters, not bytes or scalars")
  func searches() throws {
    let connection = try MemoryConnection()
    var wrong: [String] = []
    for scalars in Self.texts {
      let text = Self.text(scalars)
      for part in [0..<1, 1..<2, 2..<3, 0..<2, 1..<3, 0..<3].map({ Self.text(scalars[$0]) }) {
        let contains = try connection.number("_osd_contains(?1, ?2)", text, part) == 1
        let starts = try connection.number("_osd_starts(?1, ?2)", text, part) == 1
        if contains != Self.hasPart(text, part) { wrong.append("\(text.debugDescription) \(part.debugDescription)") }
        if starts != text.starts(with: part) { wrong.append("\(text.debugDescription), \(part.debugDescription)…") }
      }
    }
    #expect(wrong.isEmpty, "\(wrong.count): \(wrong.prefix(10))")
  }

  @Test("SQLite counts the same number of characters in a text as Swift does")
  func counts() throws {
    let connection = try MemoryConnection()
    let texts = ["", "abcdefgh\0", "abcdefgh\r\n", "abcdefghi\u{1}"] + Self.texts.map { Self.text($0) }
    for text in texts where try connection.number("_osd_count(?1)", text) != text.count {
      Issue.record("\(text.debugDescription)")
    }
    #expect(try connection.number("_osd_count(?1)", "\0") == 1)
  }

  @Test("a search never finds a text that does not occur, even within an escape")
  func absentParts() throws {
    let connection = try MemoryConnection()
    // The second text occurs at most inside the escape sequence of the first text.
    for (text, part) in [
      ("\0\u{2}", "\u{1}"), ("a\0\u{2}", "\u{1}\u{2}"), ("\0\0", "\0\u{1}"), ("", "a"), ("ab", "abc"),
    ] {
      #expect(try connection.number("_osd_contains(?1, ?2)", text, part) == 0)
      #expect(try connection.number("_osd_starts(?1, ?2)", text, part) == 0)
    }
    for text in ["", "a", "\0"] {
      #expect(try connection.number("_osd_contains(?1, '')", text) == 1)
      #expect(try connection.number("_osd_starts(?1, '')", text) == 1)
    }
  }
}
