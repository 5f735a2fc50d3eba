#if Encryption
  import SwiftData
  import Synchronization
  import Testing

  @Model final class PlainPage {
    var text: String = ""

    init() {}
  }

  /// A store whose encryption key the tests change, and its files.
  private final class KeyedStore: Sendable {
    let folder: URL
    var url: URL { folder.appending(path: "keyed.store") }
    var external: URL { folder.appending(path: "keyed.store_external") }
    let schema = Schema([SealedNote.self, DeepSealedNote.self, OtherSealedNote.self, PlainPage.self])

    init(_ folder: URL? = nil) throws { self.folder = try folder ?? TestStore.makeFolder() }

    deinit { try? FileManager.default.removeItem(at: folder) }

    func container(
      _ key: ModelConfiguration.EncryptionKey?, _ former: [ModelConfiguration.EncryptionKey] = [],
      allowsSave: Bool = true
    ) throws -> ModelContainer {
      var configuration = ModelConfiguration(schema: schema, url: url, allowsSave: allowsSave)
      configuration.encryptionKey = key
      configuration.formerEncryptionKeys = former
      return try ModelContainer(for: schema, configurations: [configuration])
    }

    /// Inserts `count` rows of each class. The values of each row contain its number.
    func fill(_ count: Int, _ key: ModelConfiguration.EncryptionKey) throws {
      let context = ModelContext(try container(key))
      SealedNote.add(count, to: context) { index, deep in
        if index % 3 == 0 { deep.scan = .large(UInt8(truncatingIfNeeded: index)) }
        if index % 3 == 1 { deep.scan = Data([UInt8(truncatingIfNeeded: index)]) }
        context.insert(OtherSealedNote("other \(index)", body: "other body \(index)"))
      }
      context.insert(PlainPage())
      try context.save()
    }

    /// The number of encryption keys for which the store's metadata has an entry.
    func keyCount() throws -> Int {
      let proofs = try #require(
        try RawDatabase(url.path).column("SELECT value FROM _osd_metadata WHERE key = 'encryption'").first)
      return proofs.split(separator: " ").count
    }

    /// Returns true if the folder of external values contains exactly the files to which rows refer.
    func hasExactlyItsFiles() throws -> Bool {
      let references = try RawDatabase(url.path).column("SELECT scan FROM SealedNote WHERE typeof(scan) = 'text'")
      let numbers = Set(references.map { String($0.prefix { $0 != ":" }) })
      let names = (try? FileManager.default.contentsOfDirectory(atPath: external.path)) ?? []
      return Set(names) == numbers && names.count == references.count
    }

    /// Copies the store's files in the state in which a process that is killed now would leave them.
    func copied() throws -> KeyedStore {
      let copy = try KeyedStore()
      for name in try FileManager.default.contentsOfDirectory(atPath: folder.path) where !name.hasSuffix("-shm") {
        try FileManager.default.copyItem(at: folder.appending(path: name), to: copy.folder.appending(path: name))
      }
      return copy
    }
  }

  @Suite("Changing the encryption key of a store")
  struct ReencryptionTests {
    private typealias Key = ModelConfiguration.EncryptionKey

    private let old = Key()
    private let new = Key()
    private let other = Key()

    private func expectRefused(_ store: KeyedStore, _ key: Key, _ former: [Key] = []) {
      #expect(throws: SwiftDataError.encryptionKeyWrong) { try store.container(key, former) }
    }

    @Test(
      "a container reads values of all its keys, writes with the current key, and throws if it lacks a key of the store"
    )
    func mixed() throws {
      let store = try KeyedStore()
      try store.fill(3, old)
      expectRefused(store, new)
      expectRefused(store, new, [other])
      #expect(try store.keyCount() == 1)
      let before = try SealedNote.contents(of: store.container(old))
      do {
        let context = ModelContext(try store.container(new, [other, old]))
        #expect(try SealedNote.contents(of: context.container) == before)
        let secret = try #require(
          try context.fetch(FetchDescriptor<SealedNote>(predicate: #Predicate { $0.title == "plain 1" })).first)
        secret.body = "changed"
        try context.save()
      }
      #expect(try store.keyCount() == 2)
      let lacking: [(Key, [Key])] = [(old, []), (new, []), (new, [other]), (other, [new])]
      for (key, former) in lacking { expectRefused(store, key, former) }
      for (key, former) in [(old, [new]), (new, [old]), (other, [old, new])] {
        let contents = try SealedNote.contents(of: store.container(key, former, allowsSave: false))
        #expect(contents.contains("plain 1 changed ") && contents.contains("deep 2 deep body 2 2 -1 0"))
      }
      #expect(try store.keyCount() == 2, "a container that only reads writes nothing")
    }

    @Test("opening with a wrong key throws before texts are updated to a newer version of Unicode")
    func olderUnicode() throws {
      let store = try KeyedStore()
      try store.fill(1, old)
      let database = try RawDatabase(store.url.path)
      let noted = "SELECT value FROM _osd_metadata WHERE key = 'unicode'"
      let current = try database.column(noted)
      try database.run("UPDATE _osd_metadata SET value = '9' WHERE key = 'unicode'")
      expectRefused(store, other)
      #expect(try database.column(noted) == ["9"])
      _ = try store.container(old)
      #expect(try database.column(noted) == current && current != ["9"])
    }

    @Test(
      "all values in rows, rows of subclasses and files are re-encrypted, and the old key no longer opens the store",
      arguments: [1, 2, 1_000])
    func all(_ batchSize: Int) async throws {
      let store = try KeyedStore()
      try store.fill(7, old)
      let container = try store.container(new, [old])
      let before = try SealedNote.contents(of: container)
      let names = try FileManager.default.contentsOfDirectory(atPath: store.external.path)
      let seen = Log<Int64>()
      let progress = WatchedProgress { progress in seen.add(progress.completedUnitCount) }
      // The 21 rows have 40 encrypted values: 21 bodies, 7 numbers, 7 texts and 5 scans.
      #expect(try await container.reencrypt(batchSize: batchSize, progress: progress) == 40)
      #expect(progress.totalUnitCount == 21 && progress.isFinished)
      let counts = seen.entries
      #expect(counts == counts.sorted() && counts.last == 21 && counts.count > 21 / batchSize)
      #expect(try SealedNote.contents(of: container) == before)
      #expect(try store.hasExactlyItsFiles())
      #expect(try Set(names).isDisjoint(with: FileManager.default.contentsOfDirectory(atPath: store.external.path)))
      #expect(try store.keyCount() == 1)
      expectRefused(store, old)
      expectRefused(store, old, [other])
      #expect(try SealedNote.contents(of: store.container(new)) == before)
      #expect(try await container.reencrypt() == 0)
      #expect(try await store.container(new).reencrypt() == 0)
      #expect(try RawDatabase(store.url.path).problems() == [])
    }

    @Test("a batch that fails changes nothing, earlier batches are kept, and the next call continues")
    func failure() async throws {
      let store = try KeyedStore()
      try store.fill(6, old)
      let before = try SealedNote.contents(of: store.container(old))
      let raw = try RawDatabase(store.url.path)
      let sealed = try #require(try raw.column("SELECT hex(body) FROM SealedNote WHERE _osd_key = 10").first)
      try raw.run("UPDATE SealedNote SET body = x'01020304' WHERE _osd_key = 10")
      let container = try store.container(new, [old])
      for size in [4, 5] {
        await #expect {
          try await container.reencrypt(batchSize: size)
        } throws: { error in
          error as? SwiftDataError == .corruptValue && "\(error)".contains("SealedNote.body of row 10")
        }
      }
      #expect(try store.keyCount() == 2)
      #expect(try store.hasExactlyItsFiles())
      try raw.run("UPDATE SealedNote SET body = x'\(sealed)' WHERE _osd_key = 10")
      #expect(try SealedNote.contents(of: container) == before)
      #expect(try await container.reencrypt(batchSize: 4) > 0)
      #expect(try SealedNote.contents(of: store.container(new)) == before)
      #expect(try store.hasExactlyItsFiles())
    }

    @Test("a batch that cannot be committed leaves rows and files unchanged")
    func commit() async throws {
      CommitFailures.install
      let store = try KeyedStore()
      try store.fill(4, old)
      let container = try store.container(new, [old])
      let before = try SealedNote.contents(of: container)
      CommitFailures.begin(at: store.url)
      await #expect(throws: SwiftDataError.self) { try await container.reencrypt() }
      CommitFailures.end(at: store.url)
      #expect(try SealedNote.contents(of: store.container(old, [new])) == before)
      #expect(try await container.reencrypt() == 23)
      #expect(try SealedNote.contents(of: container) == before)
      #expect(try store.hasExactlyItsFiles())
    }

    @Test("re-encryption can be cancelled between batches, by its progress or its task, and continued later")
    func cancelled() async throws {
      let store = try KeyedStore()
      try store.fill(6, old)
      let container = try store.container(new, [old])
      let before = try SealedNote.contents(of: container)
      let progress = WatchedProgress { if $0.completedUnitCount >= 5 { $0.cancel() } }
      await #expect(throws: CancellationError.self) { try await container.reencrypt(batchSize: 1, progress: progress) }
      #expect(progress.completedUnitCount == 5)
      let task = Task {
        withUnsafeCurrentTask { $0?.cancel() }
        return try await container.reencrypt(batchSize: 1)
      }
      await #expect(throws: CancellationError.self) { try await task.value }
      #expect(try store.keyCount() == 2)
      #expect(try SealedNote.contents(of: store.container(old, [new])) == before)
      let values = try await store.container(new, [old]).reencrypt()
      // The call does not re-encrypt values that already have the new key. The store has 34 values.
      #expect(values > 0 && values < 34)
      #expect(try SealedNote.contents(of: store.container(new)) == before)
    }

    @Test(
      "if a process is killed between two batches, the store opens with both keys, and re-encryption can continue later"
    )
    func killed() async throws {
      let store = try KeyedStore()
      try store.fill(3, old)
      let container = try store.container(new, [old])
      let before = try SealedNote.contents(of: container)
      let (copies, failures) = (Log<KeyedStore>(), Log<String>())
      let progress = WatchedProgress { _ in
        do {
          copies.add(try store.copied())
        } catch {
          failures.add("\(error)")
        }
      }
      try await container.reencrypt(batchSize: 2, progress: progress)
      #expect(failures.entries == [] && copies.entries.count > 4)
      for copy in copies.entries {
        let opened = try copy.container(new, [old])
        #expect(try SealedNote.contents(of: opened) == before)
        try await opened.reencrypt()
        #expect(try SealedNote.contents(of: copy.container(new)) == before)
        #expect(try copy.hasExactlyItsFiles())
      }
    }

    @Test(
      "values that other programs save meanwhile, even with the old key, are kept and re-encrypted with the current key"
    )
    func others() async throws {
      let store = try KeyedStore()
      try store.fill(5, old)
      let container = try store.container(new, [old])
      // The container of another program, which can read values of the new key, but still writes with the old key.
      let late = try store.container(old, [new])
      let (count, failures) = (Counter(), Log<String>())
      let progress = WatchedProgress { _ in
        let number = count.next()
        guard number <= 6 else { return }
        do {
          for (name, container) in [("mine", container), ("late", late)] {
            let context = ModelContext(container)
            let first = try context.fetch(FetchDescriptor<SealedNote>(sortBy: [SortDescriptor(\.title)])).first
            first?.body = "changed by \(name) \(number)"
            let added = DeepSealedNote("added by \(name) \(number)", body: "new")
            context.insert(added)
            added.scan = .large(UInt8(number))
            if let last = try context.fetch(FetchDescriptor<OtherSealedNote>()).last { context.delete(last) }
            try context.save()
          }
        } catch {
          failures.add("\(error)")
        }
      }
      try await container.reencrypt(batchSize: 3, progress: progress)
      #expect(failures.entries == [])
      let contents = try SealedNote.contents(of: store.container(new))
      #expect(contents.filter { $0.hasPrefix("added by late") }.count == 6)
      #expect(contents.filter { $0.hasPrefix("added by mine") }.count == 6)
      #expect(contents.contains { $0.contains("changed by late 6") })
      #expect(contents.filter { $0.hasPrefix("other") }.isEmpty)
      #expect(try store.hasExactlyItsFiles())
    }

    @Test("re-encryption keeps the values and pending changes of a context's objects, and notifies no observer")
    func contexts() async throws {
      let store = try KeyedStore()
      try store.fill(2, old)
      let container = try store.container(new, [old])
      let context = ModelContext(container)
      let secrets = try context.fetch(FetchDescriptor<DeepSealedNote>(sortBy: [SortDescriptor(\.title)]))
      let (first, second) = (secrets[0], secrets[1])
      second.body = "pending"
      let flag = changeFlag { _ = (first.body, first.scan, first.depth) }
      try await container.reencrypt()
      #expect(!flag.isRaised && !first.hasChanges && second.hasChanges && first.scan == .large(0))
      try context.save()
      #expect(try SealedNote.contents(of: store.container(new)).contains("deep 1 pending 1 1 1"))
    }

    @Test("reencrypt returns 0 for a store in memory, a store without encrypted values and a store with a single key")
    func nothing() async throws {
      var configuration = ModelConfiguration(isStoredInMemoryOnly: true)
      (configuration.encryptionKey, configuration.formerEncryptionKeys) = (new, [old, new])
      let memory = try ModelContainer(for: SealedNote.self, configurations: configuration)
      let context = ModelContext(memory)
      context.insert(SealedNote("a", body: "b"))
      try context.save()
      #expect(try await memory.reencrypt() == 0)
      #expect(try ModelContext(memory).fetch(FetchDescriptor<SealedNote>()).map(\.body) == ["b"])
      let plain = try ModelContainer(
        for: PlainPage.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true))
      #expect(try await plain.reencrypt() == 0)
    }

    @Test("a read-only container reads values of former keys, and reencrypt throws")
    func readOnly() async throws {
      let store = try KeyedStore()
      try store.fill(1, old)
      let container = try store.container(new, [old], allowsSave: false)
      #expect(try SealedNote.contents(of: container).count == 3)
      await #expect(throws: SwiftDataError.storeReadOnly) { try await container.reencrypt() }
      #expect(try store.keyCount() == 1)
    }

    @Test("a key may change twice before all values are encrypted with the second key")
    func twice() async throws {
      let store = try KeyedStore()
      try store.fill(4, old)
      let before = try SealedNote.contents(of: store.container(old))
      let progress = WatchedProgress { if $0.completedUnitCount >= 5 { $0.cancel() } }
      let second = try store.container(new, [old])
      await #expect(throws: CancellationError.self) { try await second.reencrypt(batchSize: 1, progress: progress) }
      let third = try store.container(other, [new, old])
      #expect(try store.keyCount() == 3)
      #expect(try SealedNote.contents(of: third) == before)
      #expect(try await third.reencrypt() == 23)
      #expect(try SealedNote.contents(of: store.container(other)) == before)
      expectRefused(store, new, [old])
    }

    @Test("the description of a configuration does not contain the keys")
    func description() throws {
      let key = try #require(ModelConfiguration.EncryptionKey(bytes: Array(repeating: UInt8(171), count: 32)))
      let configuration = ModelConfiguration(
        url: URL(filePath: "/tmp/x.store"), encryptionKey: new, formerEncryptionKeys: [key])
      var dumped = ""
      dump(configuration, to: &dumped)
      #expect(!"\(configuration) \(dumped)".contains("171") && configuration.formerEncryptionKeys == [key])
    }
  }
#endif
