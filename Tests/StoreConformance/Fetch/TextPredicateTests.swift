import SwiftData
import Testing

@Suite("Predicates on texts", .serialized)
struct TextPredicateTests {
  // The store compares Unicode scalars, and Swift compares characters. Both find the same texts here, because the
  // titles are in composed form and every needle consists of whole characters.
  static let titles = [
    "", "a", "Emma", "EMMA", "gemma", "100%", "100_", "a\\b", "it's", "\"quoted\"", "tab\tend", "zero\0inside", "\0",
    "caf\u{E9}", "\u{E9}", "Stra\u{DF}e", "\u{65E5}\u{672C}\u{8A9E}", "\u{1F600}", "x\u{1F600}y",
    "\u{1F468}\u{200D}\u{1F469}\u{200D}\u{1F467}", "\u{1F1E9}\u{1F1EA}", "a\nb", "\n", "\u{10FFFF}", "\u{FFFD}", "*",
    "[a]", "%", "_",
  ]
  static let needles = titles + ["e", "mm", "b", "A", "f\u{E9}", "ra\u{DF}", "\u{672C}", "y"]

  static func shelf(_ engine: Engine) throws -> (store: TestStore, saved: ModelContext) {
    let store = try TestStore(engine)
    let context = store.context()
    for (number, title) in titles.enumerated() { context.insert(Book(title, pages: number)) }
    try context.save()
    return (store, store.context())
  }

  /// For each needle, expects that the store finds exactly the titles for which the predicate is true in memory.
  private func compare(_ engine: Engine, _ name: String, _ predicate: (String) -> Predicate<Book>) throws {
    let (store, context) = try Self.shelf(engine)
    let books = Self.titles.map { Book($0) }
    for needle in Self.needles {
      let predicate = predicate(needle)
      let found = try context.fetch(FetchDescriptor(predicate: predicate)).map(\.pages).sorted()
      let wanted = try books.indices.filter { try predicate.evaluate(books[$0]) }
      #expect(found == wanted, "\(name) \(needle.debugDescription)")
    }
    _ = store
  }

  @Test("contains() agrees with the evaluation in memory", arguments: Engine.allCases)
  func contains(_ engine: Engine) throws {
    try compare(engine, "contains") { needle in #Predicate { $0.title.contains(needle) } }
  }

  @Test("starts(with:) agrees with the evaluation in memory", arguments: Engine.allCases)
  func starts(_ engine: Engine) throws {
    try compare(engine, "starts with") { needle in #Predicate { $0.title.starts(with: needle) } }
  }

  @Test("== agrees with the evaluation in memory", arguments: Engine.allCases)
  func equals(_ engine: Engine) throws {
    try compare(engine, "==") { needle in #Predicate { $0.title == needle } }
  }

  @Test("!= agrees with the evaluation in memory", arguments: Engine.allCases)
  func differs(_ engine: Engine) throws {
    try compare(engine, "!=") { needle in #Predicate { $0.title != needle } }
  }

  @Test("< agrees with the evaluation in memory", arguments: Engine.allCases)
  func less(_ engine: Engine) throws {
    try compare(engine, "<") { needle in #Predicate { $0.title < needle } }
  }

  @Test("contains() of a captured list agrees with the evaluation in memory", arguments: Engine.allCases)
  func lists(_ engine: Engine) throws {
    try compare(engine, "in list") { needle in
      let list = [needle]
      return #Predicate { list.contains($0.title) }
    }
  }

  @Test("every text contains the empty text and starts with it", arguments: Engine.allCases)
  func empty(_ engine: Engine) throws {
    let (store, context) = try Self.shelf(engine)
    #expect(try context.titles(#Predicate { $0.title.contains("") }).count == Self.titles.count)
    #expect(try context.titles(#Predicate { $0.title.starts(with: "") }).count == Self.titles.count)
    _ = store
  }

  @Test("contains() and starts(with:) are case-sensitive", arguments: Engine.allCases)
  func letterCase(_ engine: Engine) throws {
    let (store, context) = try Self.shelf(engine)
    #expect(try context.titles(#Predicate { $0.title.contains("emma") }) == ["gemma"])
    #expect(try context.titles(#Predicate { $0.title.contains("mm") }) == ["Emma", "gemma"])
    #expect(try context.titles(#Predicate { $0.title.starts(with: "EM") }) == ["EMMA"])
    _ = store
  }

  @Test("wildcards of SQL patterns match only themselves", arguments: Engine.allCases)
  func patterns(_ engine: Engine) throws {
    let (store, context) = try Self.shelf(engine)
    #expect(try context.titles(#Predicate { $0.title.contains("%") }) == ["%", "100%"])
    #expect(try context.titles(#Predicate { $0.title.starts(with: "_") }) == ["_"])
    #expect(try context.titles(#Predicate { $0.title.contains("*") }) == ["*"])
    _ = store
  }

  @Test("a search finds the same texts whether they are saved or pending", arguments: Engine.allCases)
  func pendingAndSaved(_ engine: Engine) throws {
    let (store, saved) = try Self.shelf(engine)
    let empty = try TestStore(engine)
    let pending = empty.context()
    for (number, title) in Self.titles.enumerated() { pending.insert(Book(title, pages: number)) }
    for needle in Self.needles {
      let predicate = #Predicate<Book> { $0.title.contains(needle) || $0.title == needle }
      let here = try saved.fetch(FetchDescriptor(predicate: predicate)).map(\.pages).sorted()
      let there = try pending.fetch(FetchDescriptor(predicate: predicate)).map(\.pages).sorted()
      #expect(here == there, "\(needle.debugDescription)")
    }
    _ = store
  }
}
