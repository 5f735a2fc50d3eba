#if PostgreSQL && Encryption
  import Foundation
  import PersistenceCore
  import PostgresStore
  import PostgresSupport
  import SwiftData
  import Testing

  @Model
  final class Dossier {
    var title: String
    @Attribute(.unique) var code: Int?
    @Attribute(.encrypt, .preserveValueOnDeletion) var text: String
    @Attribute(.encrypt) var note: String?
    @Attribute(.encrypt) var count: Int = 0
    @Attribute(.encrypt, .externalStorage) var scan: Data?

    init(_ title: String, code: Int? = nil, text: String) {
      self.title = title
      self.code = code
      self.text = text
    }
  }

  extension ServerStore {
    static func sealed() throws -> ServerStore {
      let store = try ServerStore()
      store.configuration.encryptionKey = ModelConfiguration.EncryptionKey()
      return store
    }

    /// Returns true if any column of the store contains the text, as text or as bytes.
    func holds(_ text: String) throws -> Bool {
      let hexadecimal = text.utf8.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
      return try catalog().dump().joined().contains { value in
        value?.contains(text) == true || value?.contains(hexadecimal) == true
      }
    }
  }

  @Suite("Encrypted attributes in PostgreSQL")
  struct SealedStoreTests {
    private let store: ServerStore
    private let context: ModelContext

    init() throws {
      store = try .sealed()
      context = ModelContext(try store.open([Dossier.self]))
    }

    private func all(_ context: ModelContext? = nil) throws -> [Dossier] {
      try (context ?? ModelContext(store.open([Dossier.self]))).fetch(
        FetchDescriptor<Dossier>(sortBy: [SortDescriptor(\.title)]))
    }

    @Test("encrypted values are read as they were written: by saves of one row or many rows, by changes and by upserts")
    func values() throws {
      for number in 0..<300 { context.insert(Dossier("\(1_000 + number)", code: number, text: "text \(number)")) }
      try context.save()
      let dossiers = try all(context)
      for (number, dossier) in dossiers.enumerated() {
        (dossier.note, dossier.count) = ("e\u{301} \0 \(number)", -number)
        if number < 3 { dossier.scan = Data(repeating: UInt8(number), count: 200_000) }
      }
      try context.save()
      dossiers[0].text = ""
      try context.save()
      // A row with code 1 exists already, so this insertion updates it.
      context.insert(Dossier("1001 again", code: 1, text: "replaced"))
      try context.save()
      let found = try all()
      #expect(found.count == 300 && found[0].text == "" && found[299].text == "text 299")
      #expect(found[1].title == "1001 again" && found[1].text == "replaced")
      #expect(scalars(found[2].note) == scalars("e\u{301} \0 2") && found[7].count == -7)
      #expect(found[2].scan == Data(repeating: 2, count: 200_000) && found[7].scan == nil)
      #expect(found.allSatisfy { !$0.hasChanges })
    }

    @Test("no plain value is on the server: neither in rows, original texts and the history, nor in notifications")
    func atRest() throws {
      let dossier = Dossier("a", text: "PLAINTEXT of a text")
      dossier.note = "PLAINTEXT e\u{301}"
      dossier.scan = Data(String(repeating: "PLAINTEXT in bytes", count: 20_000).utf8)
      context.insert(dossier)
      try context.save()
      dossier.text = "PLAINTEXT again"
      try context.save()
      context.insert(Dossier("PLAINTEXT title", text: ""))
      try context.save()
      #expect(try store.holds("PLAINTEXT title"), "what is not encrypted is seen by this test")
      for other in try all(context) where other.title.hasPrefix("PLAIN") { context.delete(other) }
      context.delete(dossier)
      try context.save()
      #expect(try store.catalog().rows("SELECT count(*) FROM _osd_tombstones WHERE \"column\" = 'text'") == [["2"]])
      #expect(try !store.holds("PLAINTEXT"))
      let changes = try context.fetchHistory(HistoryDescriptor<DefaultHistoryTransaction>()).flatMap(\.changes)
      let texts = changes.compactMap { change -> String? in
        guard case .delete(let some) = change, let deletion = some as? any HistoryDelete<Dossier> else { return nil }
        return deletion.tombstone[\.text] as? String
      }
      #expect(Set(texts) == ["", "PLAINTEXT again"])
    }

    @Test("conflicts compare plain values: an equal value is no conflict, and a conflict's error contains no value")
    func conflicts() throws {
      context.insert(Dossier("a", text: "first"))
      try context.save()
      let mine = try #require(try all(context).first)
      let other = ModelContext(try store.open([Dossier.self]))
      let theirs = try #require(try all(other).first)
      // Assigning the same text again encrypts it to other bytes.
      theirs.text += ""
      theirs.count = 5
      try other.save()
      context.conflictPolicy = .throwError
      mine.text = "mine"
      try context.save()
      #expect(mine.count == 5)
      #expect(try all(other).first?.text == "mine")
      theirs.text = "SECRET of theirs"
      try other.save()
      mine.text = "SECRET of mine"
      let error = #expect(throws: SwiftDataError.conflictingChanges) { try context.save() }
      #expect(error?.explanation?.contains("(encrypted)") == true && error?.explanation?.contains("SECRET") == false)
      #expect(try all().first?.text == "SECRET of theirs")
      context.conflictPolicy = .mergeByProperty(keeping: .ours)
      try context.save()
      #expect(try all().first?.text == "SECRET of mine")
    }

    @Test("without a key no store is created, and with a wrong key a store stays unchanged")
    func keys() throws {
      context.insert(Dossier("a", text: "first"))
      try context.save()
      let key = store.configuration.encryptionKey
      store.configuration.encryptionKey = nil
      #expect(try store.refusal(of: [Dossier.self]) == .encryptionKeyMissing)
      store.configuration.encryptionKey = ModelConfiguration.EncryptionKey()
      let wrong = try store.refusal(of: [Dossier.self])
      #expect(wrong == .encryptionKeyWrong && wrong.explanation?.contains("another key") == true)
      store.configuration.encryptionKey = key
      #expect(try all().first?.text == "first")
      let missing = try ServerStore()
      #expect(throws: SwiftDataError.encryptionKeyMissing) { try missing.open([Dossier.self]) }
      #expect(try missing.catalog().tables == [])
    }

    @Test("values that were changed by SQL are not read, and the error names the entity and the property")
    func forgeries() throws {
      context.insert(Dossier("a", text: "first"))
      try context.save()
      let server = try store.catalog().connection
      try server.execute("CREATE TABLE kept AS SELECT text FROM \"Dossier\"")
      for change in ["count", "set_byte(text, 20, get_byte(text, 20) # 1)", "''"] {
        try server.execute("UPDATE \"Dossier\" SET text = \(change)")
        let other = ModelContext(try store.open([Dossier.self]))
        let found = try all(other)
        #expect(found.count == 1 && other.unreadValues.map(\.propertyName) == ["text"])
        let reason = "Dossier.text of row 1: the encrypted value was changed"
        #expect(other.unreadValues.first?.error.explanation?.hasPrefix(reason) == true)
        try server.execute("UPDATE \"Dossier\" SET text = (SELECT text FROM kept)")
        withExtendedLifetime(found) {}
      }
      #expect(try all().first?.text == "first")
    }

    @Test("the description of a configuration contains no key")
    func description() throws {
      let key = try #require(ModelConfiguration.EncryptionKey(bytes: Array(repeating: UInt8(171), count: 32)))
      var configuration = PostgresConfiguration("postgresql://localhost/trips")
      configuration.encryptionKey = key
      configuration.formerEncryptionKeys = [key]
      var dumped = ""
      dump(configuration, to: &dumped)
      #expect(!"\(configuration) \(dumped)".contains("171"))
    }
  }
#endif
