#if PostgreSQL
  import Foundation
  import OpenSwiftData
  import PersistenceCore
  import PersistenceSupport
  import Testing

  private enum Texts {
    @Model final class Label {
      @Attribute(.unique) var text: String
      var note: String?
      init(_ text: String, note: String? = nil) { (self.text, self.note) = (text, note) }
    }
  }

  @Suite("Stores whose texts were normalized with another version of Unicode, on a server")
  struct PostgresUnicodeUpgradeTests {
    /// Creates a store as an older version of the library would have written it. U+105C9 exists since Unicode 16 and is
    /// the composed form of U+105D2 and U+0307.
    private func store(_ version: String, _ rows: [String]) throws -> ServerStore {
      let store = try ServerStore()
      try store.use([Texts.Label.self]) { context in
        for index in rows.indices { context.insert(Texts.Label("row \(index)", note: "plain é")) }
      }
      let connection = try store.catalog().connection
      for (index, text) in rows.enumerated() {
        try connection.execute(
          "SET search_path TO \"\(store.configuration.namespace)\"; "
            + "UPDATE \"Label\" SET text = '\(text)' WHERE text = 'row \(index)'; "
            + "UPDATE _osd_metadata SET value = '\(version)' WHERE key = 'unicode'")
      }
      return store
    }

    private var unicode: String { "SELECT value FROM _osd_metadata WHERE key = 'unicode'" }

    @Test("opening a store for saving normalizes its texts again, and keeps the stored text as the original text")
    func upgraded() throws {
      let store = try store("15", ["a\u{105D2}\u{307}", "é", "plain"])
      var reading = store.configuration
      reading.allowsSave = false
      _ = try ModelContainer(for: Schema([Texts.Label.self]), configurations: [reading])
      #expect(try store.catalog().rows(unicode) == [["15"]])
      let context = ModelContext(try store.open([Texts.Label.self]))
      #expect(try store.catalog().rows(unicode) == [[StoredText.unicodeVersion]])
      let composed = "a\u{105C9}"
      let found = try context.fetch(FetchDescriptor<Texts.Label>(predicate: #Predicate { $0.text == composed }))
      #expect(found.map { scalars($0.text) } == [scalars("a\u{105D2}\u{307}")])
      #expect(try context.fetchCount(FetchDescriptor<Texts.Label>()) == 3)
      // A process that has the store open continues to work, because its schema is still the same.
      context.insert(Texts.Label("new"))
      try context.save()
    }

    @Test("if normalizing makes unique texts equal, opening the store throws and changes nothing")
    func ambiguous() throws {
      let store = try store("15", ["a\u{105D2}\u{307}", "a\u{105C9}"])
      let error = try store.refusal(of: [Texts.Label.self])
      #expect(error == .modelValidationFailure && "\(error)".contains("Unicode 15"))
    }

    @Test("a store with a newer version of Unicode and its recorded version stay unchanged, and the store can be used")
    func newer() throws {
      let store = try store("99", ["a"])
      _ = try store.open([Texts.Label.self])
      #expect(try store.catalog().rows(unicode) == [["99"]])
    }
  }
#endif
