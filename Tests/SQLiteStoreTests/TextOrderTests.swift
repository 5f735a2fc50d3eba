import PersistenceCore
import SQLiteStore
import Testing

@Suite("The order of texts")
struct TextOrderTests {
  /// Plain, composed and decomposed texts. They include texts that Swift orders differently than their bytes, and texts
  /// that Swift does not order.
  static let texts = [
    "", "a", "A", "Z", "z", "aa", "a\0b", "a\0", "a\u{1}", "a\u{2}", "\0", "\u{1}", "\u{E9}", "e\u{301}", "e", "ez",
    "e\u{301}z", "\u{E9}a", "f", "K", "\u{212A}", "caf\u{E9}s", "cafe\u{301}", "caf\u{E9}", "\u{3B1}", "\u{1F600}",
    "\u{4E2D}", "\u{AC00}", "\u{1100}\u{1161}", "\u{AC00}\u{11A8}", "\u{AC01}", "\u{304C}", "\u{304B}\u{3099}",
    "\u{37E}", ";", "\u{FB01}", "\u{1E9B}\u{323}", "\u{438}", "\u{438}\u{306}", "\u{439}", "\u{FFFD}", "\r\n", "\n",
    "x\u{323}", "x\u{323}\u{31B}", "x\u{31B}\u{323}", "\u{F73}", "\u{F71}\u{F72}", "\u{F40}\u{F73}", "\u{F75}",
    "\u{F81}", "\u{D7FF}", "\u{E000}", "\u{FFFF}", "\u{10000}", "\u{10FFFF}",
  ]

  @Test("SQLite orders stored forms as the evaluation in memory orders texts")
  func bothSides() throws {
    let connection = try MemoryConnection()
    for left in Self.texts {
      for right in Self.texts {
        let stored = try connection.number("(?1 > ?2) - (?1 < ?2)", left, right)
        let inMemory = StoredText.compare(left, right).signum()
        #expect(stored == inMemory, "\(left.debugDescription) and \(right.debugDescription)")
      }
    }
  }

  @Test("the order is total and transitive, and agrees with ==")
  func total() {
    for left in Self.texts {
      for right in Self.texts {
        let (forward, backward) = (StoredText.compare(left, right).signum(), StoredText.compare(right, left).signum())
        let words = "\(left.debugDescription) and \(right.debugDescription)"
        #expect(forward == -backward, "\(words)")
        #expect((forward == 0) == (left == right), "\(words)")
        for other in Self.texts where forward < 0 && StoredText.compare(right, other) < 0 {
          #expect(StoredText.compare(left, other) < 0, "\(words) and \(other.debugDescription)")
        }
      }
    }
    // The scalars of the normal form determine the order, even if Swift has no order for the texts, and regardless of
    // the order of marks.
    #expect(StoredText.compare("cafe\u{301}", "caf\u{E9}s") < 0)
    #expect(StoredText.compare("x\u{323}", "x\u{31B}\u{323}") > 0)
    #expect(StoredText.compare("x\u{323}", "x\u{323}\u{31B}") > 0)
  }
}
