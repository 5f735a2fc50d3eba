#if PostgreSQL && Encryption
  import ConformanceSupport
  import Foundation
  import PersistenceCore
  import PostgresStore
  import PostgresSupport
  import SwiftData
  import Testing

  @Suite("Changing the encryption key of a store in PostgreSQL")
  struct KeyChangeTests {
    private typealias Key = ModelConfiguration.EncryptionKey

    private let store: ServerStore
    private let old = Key()
    private let new = Key()
    private let other = Key()

    init() throws { store = try ServerStore() }

    private func open(_ key: Key, _ former: [Key] = [], allowsSave: Bool = true) throws -> ModelContainer {
      store.configuration.encryptionKey = key
      store.configuration.formerEncryptionKeys = former
      store.configuration.allowsSave = allowsSave
      return try store.open([SealedNote.self, DeepSealedNote.self])
    }

    private func fill(_ count: Int) throws {
      let context = ModelContext(try open(old))
      SealedNote.add(count, to: context)
      try context.save()
    }

    private func keyCount() throws -> Int {
      let rows = try store.catalog().rows("SELECT \"value\" FROM _osd_metadata WHERE \"key\" = 'encryption'")
      return try #require(rows.first?.first ?? nil).split(separator: " ").count
    }

    private func expectRefused(_ key: Key, _ former: [Key] = []) {
      #expect(throws: SwiftDataError.encryptionKeyWrong) { try open(key, former) }
    }

    @Test(
      "all values are encrypted again, including those of subclasses and deleted models; the old key decrypts nothing",
      arguments: [1, 3, 1_000])
    func all(_ batchSize: Int) async throws {
      try fill(7)
      do {
        let context = ModelContext(try open(old))
        let gone = SealedNote("gone", body: "kept of the deleted")
        context.insert(gone)
        try context.save()
        context.delete(gone)
        try context.save()
      }
      let container = try open(new, [old])
      let before = try SealedNote.contents(of: container)
      #expect(try keyCount() == 2)
      let counts = Log<Int64>()
      let progress = WatchedProgress { counts.add($0.completedUnitCount) }
      // 14 rows have an encrypted body, and 7 of them also an encrypted number.
      #expect(try await container.reencrypt(batchSize: batchSize, progress: progress) == 21)
      let seen = counts.entries
      #expect(progress.totalUnitCount == 14 && progress.isFinished && seen == seen.sorted())
      #expect(try keyCount() == 1 && SealedNote.contents(of: container) == before)
      expectRefused(old)
      expectRefused(old, [other])
      let opened = try open(new)
      #expect(try SealedNote.contents(of: opened) == before)
      #expect(try await opened.reencrypt() == 0)
      let changes = try ModelContext(opened).fetchHistory(HistoryDescriptor<DefaultHistoryTransaction>())
        .flatMap(\.changes)
      let texts = changes.compactMap { change -> String? in
        guard case .delete(let some) = change, let deletion = some as? any HistoryDelete<SealedNote> else { return nil }
        return deletion.tombstone[\.body] as? String
      }
      #expect(texts == ["kept of the deleted"])
    }

    @Test(
      "concurrent saves are kept; after the change all values use the current key, even those saved with the old key"
    )
    func others() async throws {
      try fill(5)
      let container = try open(new, [old])
      // The container of another program, which can read values of the new key but still writes with the old key.
      let late = try open(old, [new])
      let (count, failures) = (Counter(), Log<String>())
      let progress = WatchedProgress { _ in
        let number = count.next()
        guard number <= 6 else { return }
        do {
          for (name, container) in [("mine", container), ("late", late)] {
            let context = ModelContext(container)
            let first = try context.fetch(FetchDescriptor<SealedNote>(sortBy: [SortDescriptor(\.title)])).first
            first?.body = "changed by \(name) \(number)"
            context.insert(DeepSealedNote("added by \(name) \(number)", body: "new"))
            try context.save()
          }
        } catch {
          failures.add("\(error)")
        }
      }
      try await container.reencrypt(batchSize: 3, progress: progress)
      #expect(failures.entries == [])
      let found = try SealedNote.contents(of: open(new))
      #expect(found.filter { $0.hasPrefix("added by") }.count == 12 && found.count == 22)
      #expect(found.contains { $0.contains("changed by late 6") })
    }

    @Test("a value that no key decrypts stops the change with an error that names it; the next call continues there")
    func failure() async throws {
      try fill(3)
      let before = try SealedNote.contents(of: open(old))
      let server = try store.catalog().connection
      try server.execute("CREATE TABLE kept AS SELECT body FROM \"SealedNote\" WHERE _osd_key = 5")
      try server.execute("UPDATE \"SealedNote\" SET body = decode('01020304', 'hex') WHERE _osd_key = 5")
      let container = try open(new, [old])
      for size in [2, 4] {
        let error = await #expect(throws: SwiftDataError.corruptValue) {
          try await container.reencrypt(batchSize: size)
        }
        #expect(error?.explanation?.contains("SealedNote.body of row 5") == true)
      }
      #expect(try keyCount() == 2)
      try server.execute("UPDATE \"SealedNote\" SET body = (SELECT body FROM kept) WHERE _osd_key = 5")
      let values = try await container.reencrypt(batchSize: 2)
      #expect(values > 0 && values < 9)
      #expect(try SealedNote.contents(of: open(new)) == before)
    }

    @Test("a read-only container reads values of former keys, and changes nothing")
    func readOnly() async throws {
      try fill(1)
      let container = try open(new, [old], allowsSave: false)
      #expect(try SealedNote.contents(of: container).count == 2)
      await #expect(throws: SwiftDataError.storeReadOnly) { try await container.reencrypt() }
      #expect(try keyCount() == 1)
    }

    @Test("objects of open contexts keep their values, and their unsaved changes cause no conflict")
    func contexts() async throws {
      try fill(2)
      let container = try open(new, [old])
      let context = ModelContext(container)
      context.conflictPolicy = .throwError
      let note = try #require(
        try context.fetch(FetchDescriptor<SealedNote>(predicate: #Predicate { $0.title == "plain 1" })).first)
      note.body = "pending"
      try await container.reencrypt()
      #expect(note.hasChanges)
      try context.save()
      #expect(try SealedNote.contents(of: open(new)).contains("plain 1 pending "))
    }
  }
#endif
