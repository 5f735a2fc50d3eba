import PersistenceCore
import SQLiteStore
import Testing

@Suite("Order of texts")
struct TextOrderTests {
  /// Plain, composed and decomposed texts, and such that Swift and bytes order differently.
  static let texts = [
    "", "a", "A", "Z", "z", "aa", "a\0b", "a\0", "\u{E9}", "e\u{301}", "e", "ez", "e\u{301}z", "\u{E9}a", "f", "K",
    "\u{212A}", "caf\u{E9}s", "cafe\u{301}", "\u{3B1}", "\u{1F600}", "\u{4E2D}", "\u{AC00}", "\u{1100}\u{1161}",
    "\u{37E}", ";", "\u{FB01}", "\u{1E9B}\u{323}", "\u{438}", "\u{438}\u{306}", "\u{439}", "\u{FFFD}", "\r\n", "\n",
  ]

  @Test("sorts order texts as the collation of indexes does")
  func sortable() throws {
    let connection = try MemoryConnection()
    for left in Self.texts {
      for right in Self.texts {
        let byCollation = TextCollation.compare(left, right).signum()
        let byBytes = try connection.comparison(of: left, right)
        #expect(byBytes == byCollation, "\(left.debugDescription) and \(right.debugDescription)")
      }
    }
  }
}
