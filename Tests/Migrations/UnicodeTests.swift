import ConformanceSupport
import SwiftData
import Testing

private enum Mood: String, Codable {
  case calm = "\u{105C9}"
  case wild
}

private struct Label: Codable, Equatable {
  var title: String
  var number: Int
}

@Model
private class Word {
  @Attribute(.unique) var text: String
  var note: String?
  var label: Label
  var mood: Mood = Mood.wild

  init(_ text: String, note: String? = nil, label: String = "") {
    (self.text, self.note) = (text, note)
    self.label = Label(title: label, number: 1)
  }
}

@Model
private final class Name: Word {
  var origin: String = ""

  override init(_ text: String, note: String? = nil, label: String = "") { super.init(text, note: note, label: label) }
}

private enum Later {
  @Model
  class Word {
    @Attribute(.unique) var text: String
    var count: Int = 0
    init() { text = "" }
  }
}

private let models: [any PersistentModel.Type] = [Word.self, Name.self]

/// Two texts that are canonically equivalent since Unicode 16, which added the scalars U+105C9, U+105D2 and their
/// equivalence. A library with Unicode 15.1 does not know it and stores both texts unchanged.
private let (composed, apart) = ("\u{105C9}", "\u{105D2}\u{307}")

@Suite("Stores that a library with another version of Unicode has written", .onSQLite)
struct UnicodeTests {
  private func literal(_ text: String) -> String {
    "CAST(x'\(text.utf8.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined())' AS TEXT)"
  }

  /// The bytes of one row's column, in hexadecimal.
  private func bytes(_ column: String, _ key: Int, _ store: MigratedStore) throws -> [String] {
    try database(store).column("SELECT hex(\"\(column)\") FROM Word WHERE _osd_key = \(key)")
  }

  private func hex(_ text: String) -> [String] {
    [text.utf8.map { ($0 < 16 ? "0" : "") + String($0, radix: 16, uppercase: true) }.joined()]
  }

  private func database(_ store: MigratedStore) throws -> RawDatabase { try RawDatabase(store.url.path) }

  private func note(_ store: MigratedStore) throws -> [String] {
    try database(store).column("SELECT value FROM _osd_metadata WHERE key = 'unicode'")
  }

  private func originals(_ store: MigratedStore) throws -> [[String?]] {
    try database(store).originals(
      "SELECT \"table\", key, \"column\", hex(original) FROM _osd_originals ORDER BY key, \"column\"")
  }

  /// Creates a store with two words, and then changes its metadata and texts to what a library with Unicode 15.1 would
  /// have written.
  private func oldStore(_ changes: [String] = []) throws -> MigratedStore {
    let store = try MigratedStore()
    try store.use(models) { context in
      context.insert(Word("first", note: "n", label: "l"))
      try context.save()
      context.insert(Name("second"))
    }
    let database = try database(store)
    try database.run("UPDATE _osd_metadata SET value = '15.1' WHERE key = 'unicode'")
    for change in changes { try database.run(change) }
    return store
  }

  @Test("texts with scalars that a newer Unicode version added are normalized once, and keep their original texts")
  func raising() throws {
    let current = try {
      let store = try MigratedStore()
      try store.use(models) { _ in }
      return try note(store)
    }()
    let store = try oldStore([
      "UPDATE Word SET text = \(literal(apart + "!")), note = \(literal(composed)), label_title = \(literal("x" + apart)), "
        + "mood = \(literal(apart)) WHERE _osd_key = 1",
      "UPDATE Word SET origin = \(literal(apart)), note = \(literal("e\u{301}")) WHERE _osd_key = 2",
    ])
    try store.use(models) { context in
      let names = try context.fetch(FetchDescriptor<Word>(predicate: #Predicate { $0.text == "\u{105C9}!" }))
      #expect(names.count == 1 && names.first?.mood == .calm)
    }
    #expect(try bytes("text", 1, store) == hex(composed + "!") && bytes("note", 1, store) == hex(composed))
    #expect(try bytes("label_title", 1, store) == hex("x" + composed) && bytes("mood", 1, store) == hex(composed))
    #expect(try bytes("origin", 2, store) == hex(composed))
    // The text in this column has no new scalars. Another program wrote it, so the library leaves it unchanged.
    #expect(try bytes("note", 2, store) == hex("e\u{301}"))
    #expect(
      try originals(store) == [
        ["Word", "1", "label_title", hex("x" + apart)[0]], ["Word", "1", "text", hex(apart + "!")[0]],
        ["Word", "2", "origin", hex(apart)[0]],
      ])
    #expect(try note(store) == current && current != ["15.1"])
    #expect(try database(store).problems() == [])
    // The store is normalized only once, so a text that another program writes afterwards stays unchanged.
    try database(store).run("UPDATE Word SET note = \(literal(apart)) WHERE _osd_key = 1")
    try store.use(models) { _ in }
    #expect(try bytes("note", 1, store) == hex(apart))
  }

  @Test("a recorded original that is equivalent to the normalized text is kept, and any other original is replaced")
  func knownOriginals() throws {
    let store = try oldStore([
      "UPDATE Word SET text = \(literal("\u{1}\u{1}" + apart)), note = \(literal(apart)) WHERE _osd_key = 1",
      RawDatabase.originalsTable, "INSERT INTO _osd_originals VALUES ('Word', 1, 'text', \(literal("\u{0}" + apart)))",
      "INSERT INTO _osd_originals VALUES ('Word', 1, 'note', 'other')",
    ])
    try store.use(models) { _ in }
    #expect(try bytes("text", 1, store) == hex("\u{1}\u{1}" + composed))
    #expect(
      try originals(store) == [
        ["Word", "1", "note", hex(apart)[0]], ["Word", "1", "text", hex("\u{0}" + apart)[0]],
      ])
  }

  @Test("values that are not texts stay unchanged")
  func otherTypes() throws {
    let store = try oldStore([
      "UPDATE Word SET note = x'\(hex(apart)[0])', origin = NULL WHERE _osd_key = 1",
      "UPDATE Word SET note = 12 WHERE _osd_key = 2",
    ])
    try store.use(models) { _ in }
    #expect(try database(store).column("SELECT typeof(note) FROM Word ORDER BY _osd_key") == ["blob", "text"])
    #expect(try originals(store) == [])
  }

  @Test("if unique texts become equal, opening the store throws an error that lists them, and nothing changes")
  func ambiguous() throws {
    let store = try oldStore([
      "DROP INDEX _osd_unique_Word_text", "UPDATE Word SET text = \(literal(apart)) WHERE _osd_key = 1",
      "UPDATE Word SET text = \(literal(composed)) WHERE _osd_key = 2",
      "CREATE UNIQUE INDEX _osd_unique_Word_text ON Word (text COLLATE BINARY)",
    ])
    let error = try store.refusal(of: models)
    let words = ["Unicode 15.1", "text of row 1", "Word", apart, "nothing has been changed"]
    #expect(error == .modelValidationFailure && words.allSatisfy { "\(error)".contains($0) })
    #expect(try note(store) == ["15.1"])
  }

  @Test("a store that is opened read-only is not normalized")
  func reading() throws {
    let store = try oldStore(["UPDATE Word SET text = \(literal(apart)) WHERE _osd_key = 1"])
    let before = try database(store).dump()
    let container = try store.open(models) { $0 = ModelConfiguration(url: $0.url, allowsSave: false) }
    let texts = try ModelContext(container).fetch(FetchDescriptor<Word>()).map(\.text)
    #expect(texts.sorted() == ["second", apart])
    #expect(try database(store).dump() == before)
  }

  @Test("a migration normalizes the texts in its own transaction")
  func migrating() throws {
    let store = try oldStore([
      "UPDATE Word SET text = \(literal(apart)) WHERE _osd_key = 1", "DELETE FROM Word WHERE _osd_key = 2",
    ])
    try store.migrate(to: [Later.Word.self]) { context in
      let words = try context.fetch(FetchDescriptor<Later.Word>(predicate: #Predicate { $0.text == "\u{105C9}" }))
      #expect(words.count == 1)
    }
    #expect(try bytes("text", 1, store) == hex(composed))
    #expect(try note(store) != ["15.1"])
  }

  @Test("a store of a newer Unicode version can be used and migrated, and its version and texts stay unchanged")
  func newer() throws {
    let store = try oldStore([
      "UPDATE Word SET text = \(literal(apart)) WHERE _osd_key = 1", "DELETE FROM Word WHERE _osd_key = 2",
      "UPDATE _osd_metadata SET value = '99.1' WHERE key = 'unicode'",
    ])
    try store.use(models) { context in
      context.insert(Word("third"))
      try context.save()
    }
    #expect(try bytes("text", 1, store) == hex(apart) && note(store) == ["99.1"] && originals(store) == [])
    try store.migrate(to: [Later.Word.self]) { context in
      let count = try context.fetchCount(FetchDescriptor<Later.Word>())
      #expect(count == 2)
    }
    #expect(try bytes("text", 1, store) == hex(apart) && note(store) == ["99.1"])
  }
}
