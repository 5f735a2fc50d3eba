import SwiftData
import Testing

@Suite("Texts round-trip byte for byte", .serialized)
struct TextTests {
  private func sameBytes(_ back: String, _ value: String) -> Bool { Array(back.utf8) == Array(value.utf8) }

  @Test("empty, NUL, quotes, line ends", arguments: Engine.allCases)
  func special(_ engine: Engine) throws {
    let values = [
      "", "\0", "a\0b", "\0\0\0", "a\0", "'", "\"", "''; DROP TABLE \"Scalars\"; --", "\\", "%_*?", "\r\n", "\n\r",
      "\t",
      "\u{7F}", "\u{FEFF}start", " spaces  ",
    ]
    try expectRoundTrip(engine, \Scalars.string, values, same: sameBytes)
  }

  @Test("every scalar of every plane", arguments: Engine.allCases)
  func planes(_ engine: Engine) throws {
    let values = (UInt32(0)..<17).map { plane in
      String(String.UnicodeScalarView((0..<0x1_0000).compactMap { Unicode.Scalar(plane << 16 | $0) }))
    }
    try expectRoundTrip(engine, \Scalars.string, values, same: sameBytes)
  }

  @Test("composed and decomposed forms are distinguished", arguments: Engine.allCases)
  func normalisation(_ engine: Engine) throws {
    let values = [
      "\u{E9}", "e\u{301}", "\u{AC00}", "\u{1100}\u{1161}", "\u{212B}", "\u{C5}", "a\u{323}\u{307}", "\u{FB01}",
    ]
    try expectRoundTrip(engine, \Scalars.string, values, same: sameBytes)
  }

  @Test("a change from one Unicode normal form to the other is stored", arguments: Engine.allCases)
  func editOfForm(_ engine: Engine) throws {
    let store = try TestStore(engine)
    let context = store.context()
    let book = Book("\u{E9}")
    context.insert(book)
    try context.save()
    book.title = "e\u{301}"
    try context.save()
    let found = try #require(try store.context().fetch(FetchDescriptor<Book>()).first)
    #expect(Array(found.title.utf8) == Array("e\u{301}".utf8))
  }

  @Test("a refresh detects another Unicode normal form", arguments: Engine.allCases)
  func refreshOfForm(_ engine: Engine) throws {
    let store = try TestStore(engine)
    let here = store.context()
    let book = Book("\u{E9}")
    here.insert(book)
    try here.save()
    try store.context().run { there in
      (try? there.fetch(FetchDescriptor<Book>()))?.first?.title = "e\u{301}"
    }
    _ = try here.fetch(FetchDescriptor<Book>())
    #expect(Array(book.title.utf8) == Array("e\u{301}".utf8))
  }

  @Test("long texts, around the lengths at which storage changes", arguments: Engine.allCases)
  func lengths(_ engine: Engine) throws {
    let lengths = [1, 7, 8, 14, 15, 16, 17, 31, 32, 63, 64, 127, 128, 255, 256, 4095, 4096, 65535, 65536, 2_000_000]
    try expectRoundTrip(
      engine, \Scalars.string, lengths.map { String(repeating: "x", count: $0) } + ["\u{E9}\u{1F600}"], same: sameBytes)
  }

  @Test("optional, with empty distinct from nil", arguments: Engine.allCases)
  func optional(_ engine: Engine) throws {
    try expectRoundTrip(engine, \Scalars.optionalString, [nil, "", "\0", "nil", "NULL"])
  }

  @Test("in arrays, sets and dictionaries", arguments: Engine.allCases)
  func containers(_ engine: Engine) throws {
    let list = ["", "a\0b", "\"", "\\", "e\u{301}", "\u{E9}x", "\u{1F600}", "\u{2028}", "/", "\u{10FFFF}", "\r\n"]
    try expectRoundTrip(engine, \Compounds.strings, [[], [""], list]) { back, value in
      back.map { Array($0.utf8) } == value.map { Array($0.utf8) }
    }
    try expectRoundTrip(engine, \Compounds.members, [[], [""], Set(list)])
    let keyed = Dictionary(uniqueKeysWithValues: list.enumerated().map { ($1, $0) })
    try expectRoundTrip(engine, \Compounds.byName, [[:], keyed])
  }
}
