#if Encryption
  import SwiftData
  import Testing

  @Suite("@Attribute(.encrypt)")
  struct EncryptionTests {
    private func saved(_ engine: Engine = .file) throws -> (SealedStore, ModelContext, Diary) {
      let store = try SealedStore(engine)
      let context = try store.context()
      let diary = Diary("a", body: "PLAINTEXT of the body", origin: "PLAINTEXT of the origin")
      diary.note = "PLAINTEXT of the note"
      diary.bytes = Data("PLAINTEXT in bytes".utf8)
      diary.tags = ["PLAINTEXT in JSON", "b"]
      diary.picture = Data(String(repeating: "PLAINTEXT in a file", count: 20_000).utf8)
      context.insert(diary)
      context.insert(CipherLedger(body: "PLAINTEXT of the ledger"))
      try context.save()
      return (store, context, diary)
    }

    private func stored(_ store: SealedStore) throws -> Diary {
      try #require(try store.context().fetch(FetchDescriptor<Diary>()).first)
    }

    @Test("encrypted values of every kind are read as they were saved", arguments: Engine.allCases)
    func roundTrip(_ engine: Engine) throws {
      let (store, context, diary) = try saved(engine)
      diary.count = -7
      diary.weight = -0.0
      diary.day = Date(timeIntervalSinceReferenceDate: 1.25)
      diary.isRead = false
      (diary.mood, diary.otherMood) = (.wild, .wild)
      diary.interval = Interval(start: 1, end: 2)
      diary.price = Decimal(string: "1.10") ?? 0
      diary.link = URL(string: "https://example.org")
      diary.body = ""
      try context.save()
      if engine == .file { store.close() }
      let read = try stored(store)
      #expect(read.title == "a")
      #expect(read.body == "")
      #expect(read.note == "PLAINTEXT of the note")
      #expect(read.count == -7)
      #expect(read.large == .max)
      #expect(read.weight.sign == .minus && read.weight == 0)
      #expect(read.day == Date(timeIntervalSinceReferenceDate: 1.25))
      #expect(read.isRead == false)
      #expect(read.mood == .wild && read.otherMood == .wild)
      #expect(read.tags == ["PLAINTEXT in JSON", "b"])
      #expect(read.interval == Interval(start: 1, end: 2))
      #expect(read.price == Decimal(string: "1.10"))
      #expect(read.link == URL(string: "https://example.org"))
      #expect(read.number == diary.number)
      #expect(read.bytes == Data("PLAINTEXT in bytes".utf8))
      #expect(read.picture == diary.picture)
      #expect(read.origin == "PLAINTEXT of the origin")
      #expect(!read.hasChanges)
    }

    @Test("the store file, the write-ahead log and the external files contain no unencrypted value and no key")
    func atRest() throws {
      let (store, context, diary) = try saved()
      #expect(try store.bytes().range(of: Data("PLAINTEXT".utf8)) == nil)
      diary.body = "PLAINTEXT again"
      try context.save()
      store.close()
      #expect(try store.bytes().range(of: Data("PLAINTEXT".utf8)) == nil)
      #expect(try store.bytes().range(of: Data(store.key.data)) == nil)
      #expect(
        try store.run("SELECT typeof(picture), typeof(body), typeof(count), note IS NULL, typeof(otherMood) FROM Diary")
          == ["text blob blob 0 null"])
    }

    @Test("encrypting the same value again stores different bytes")
    func nonce() throws {
      let (store, context, diary) = try saved()
      let first = try store.run("SELECT hex(body) FROM Diary")
      diary.body += ""
      try context.save()
      let second = try store.run("SELECT hex(body) FROM Diary")
      #expect(first != second)
      #expect(first.map(\.count) == second.map(\.count))
      #expect(try stored(store).body == "PLAINTEXT of the body")
    }

    /// Expects that the entity has one row, and that only this property of the row could not be read.
    private func expectUnread<T: PersistentModel>(
      _ type: T.Type, _ property: String, in context: ModelContext, at location: SourceLocation = #_sourceLocation
    ) throws {
      let models = try context.fetch(FetchDescriptor<T>())
      #expect(models.count == 1 && context.unreadValues.map(\.propertyName) == [property], sourceLocation: location)
      let text = "\(type).\(property) of row 1: the encrypted value was changed"
      #expect(context.unreadValues.first?.error.explanation?.hasPrefix(text) == true, sourceLocation: location)
      withExtendedLifetime(models) {}
    }

    @Test(
      "a value whose stored bytes were changed is left unread, with an error that names the entity and the property")
    func flippedBit() throws {
      let (store, context, diary) = try saved()
      let hex = try #require(try store.run("SELECT hex(note) FROM Diary").first)
      for position in [0, 2, hex.count / 2, hex.count - 1] {
        var digits = Array(hex)
        digits[position] = digits[position] == "0" ? "1" : "0"
        try store.run("UPDATE Diary SET note = x'\(String(digits))'")
        for reader in [try store.context(), context] {
          try expectUnread(Diary.self, "note", in: reader)
        }
        #expect(diary.note == nil && diary.body == "PLAINTEXT of the body")
      }
      try store.run("UPDATE Diary SET note = x'\(hex)'")
      #expect(diary.note == "PLAINTEXT of the note")
      for value in ["x''", "'text'"] {
        try store.run("UPDATE Diary SET note = \(value)")
        try expectUnread(Diary.self, "note", in: store.context())
      }
    }

    @Test("an encrypted value that another program copied to another property or entity is left unread")
    func swaps() throws {
      let (store, _, _) = try saved()
      try store.run("UPDATE Diary SET note = body")
      try expectUnread(Diary.self, "note", in: store.context())
      try store.run("UPDATE CipherLedger SET body = (SELECT body FROM Diary)")
      try expectUnread(CipherLedger.self, "body", in: store.context())
    }

    @Test("opening a store without its key or with another key throws, and the store is unchanged")
    func keys() throws {
      let (store, _, _) = try saved()
      store.close()
      let before = try store.bytes()
      let missing = #expect(throws: SwiftDataError.encryptionKeyMissing) { try store.container(nil) }
      #expect(missing?.explanation?.contains("Diary.body is encrypted") == true)
      let other = ModelConfiguration.EncryptionKey()
      let wrong = #expect(throws: SwiftDataError.encryptionKeyWrong) { try store.container(other) }
      #expect(wrong?.explanation?.contains("another key") == true)
      #expect(try store.bytes() == before)
      #expect(try stored(store).body == "PLAINTEXT of the body")
    }

    @Test(
      "opening a container for encrypted attributes without a key throws, and creates no store",
      arguments: Engine.sqlite)
    func noKey(_ engine: Engine) throws {
      let url = try TestStore.makeFolder().appending(path: "none.store")
      let configuration =
        engine == .file ? ModelConfiguration(url: url) : ModelConfiguration(isStoredInMemoryOnly: true)
      #expect(throws: SwiftDataError.encryptionKeyMissing) {
        try ModelContainer(for: Diary.self, CipherLedger.self, configurations: configuration)
      }
      #expect(!FileManager.default.fileExists(atPath: url.path))
    }

    @Test(
      "a predicate on an encrypted property throws a descriptive error, except a comparison with nil",
      arguments: Engine.allCases)
    func predicates(_ engine: Engine) throws {
      let (store, context, _) = try saved(engine)
      func refused<T: PersistentModel>(_ predicate: Predicate<T>) throws {
        let error = #expect(throws: SwiftDataError.unsupportedPredicate) {
          try context.fetch(FetchDescriptor(predicate: predicate))
        }
        #expect(error?.explanation?.contains("is encrypted") == true)
        #expect(throws: SwiftDataError.unsupportedPredicate) {
          try context.fetchCount(FetchDescriptor(predicate: predicate))
        }
      }
      try refused(#Predicate<Diary> { $0.body == "PLAINTEXT of the body" })
      try refused(#Predicate<Diary> { $0.count > 3 })
      try refused(#Predicate<Diary> { $0.title == "a" && $0.note?.contains("x") == true })
      // `title.count` cannot be translated to SQL, so the translation stops before it reaches the encrypted property.
      // The fetch must throw nevertheless.
      try refused(#Predicate<Diary> { $0.title.count == 1 && $0.body == "x" })
      try refused(#Predicate<Diary> { $0.tags.contains("b") })
      try refused(#Predicate<Diary> { $0.picture?.isEmpty == true })
      try refused(#Predicate<CipherLedger> { $0.diary?.body == "x" })
      let isNil = #Predicate<Diary> { $0.otherMood == nil && $0.note != nil }
      #expect(try context.fetchCount(FetchDescriptor(predicate: isNil)) == 1)
      #expect(
        try store.context().fetchCount(FetchDescriptor<Diary>(predicate: #Predicate { $0.title.count == 1 })) == 1)
    }

    @Test("a sort by an encrypted property throws a descriptive error", arguments: Engine.allCases)
    func sorts(_ engine: Engine) throws {
      let (store, context, _) = try saved(engine)
      defer { withExtendedLifetime(store) {} }
      let error = #expect(throws: SwiftDataError.unsupportedSortDescriptor) {
        try context.fetch(FetchDescriptor<Diary>(sortBy: [SortDescriptor(\.title), SortDescriptor(\.body)]))
      }
      #expect(error?.explanation?.contains("Diary.body is encrypted") == true)
    }

    @Test(
      "changes, rollbacks and saves of other contexts work for encrypted values as for other values",
      arguments: Engine.allCases)
    func changes(_ engine: Engine) throws {
      let (store, context, diary) = try saved(engine)
      diary.body = "changed"
      context.rollback()
      #expect(diary.body == "PLAINTEXT of the body")
      let other = try store.context()
      let same = try #require(try other.fetch(FetchDescriptor<Diary>()).first)
      same.body = "from elsewhere"
      same.note = nil
      same.picture = nil
      try other.save()
      let flag = changeFlag { _ = (diary.count, diary.mood) }
      _ = try context.fetch(FetchDescriptor<Diary>())
      #expect(diary.body == "from elsewhere")
      #expect(diary.note == nil && diary.picture == nil)
      #expect(!flag.isRaised, "what did not change wakes no observer")
    }

    @Test("an encrypted value in a file is read on first access, and left unread if the file was changed")
    func external() throws {
      let (store, context, diary) = try saved()
      let read = try stored(store)
      let folder = URL(filePath: store.url.path + "_external")
      let file = folder.appending(path: "1")
      var bytes = try Data(contentsOf: file)
      bytes[bytes.count / 2] ^= 1
      try bytes.write(to: file)
      #expect(try stored(store).title == "a")
      #expect(read.picture == nil, "a read cannot throw")
      try expectUnread(Diary.self, "picture", in: context)
      #expect(diary.picture == nil)
      bytes[bytes.count / 2] ^= 1
      try bytes.write(to: file)
      #expect(diary.picture != nil && context.unreadValues.isEmpty)
    }

    @Test("neither the description of a key nor that of a configuration contains the key")
    func description() throws {
      let key = try #require(ModelConfiguration.EncryptionKey(bytes: Array(repeating: UInt8(171), count: 32)))
      let configuration = ModelConfiguration(url: URL(filePath: "/tmp/x.store"), encryptionKey: key)
      var dumped = ""
      dump(configuration, to: &dumped)
      #expect(!"\(key) \(configuration) \(String(reflecting: key)) \(dumped)".contains("171"))
      #expect(ModelConfiguration.EncryptionKey(bytes: [1, 2, 3]) == nil)
      #expect(ModelConfiguration.EncryptionKey() != ModelConfiguration.EncryptionKey())
      #expect(configuration.encryptionKey == key)
    }

    @Test("the syntax of the first beta, @Attribute([.encrypt], …), encrypts too")
    @available(*, deprecated, message: "tests what is deprecated")
    func array() throws {
      var configuration = ModelConfiguration(isStoredInMemoryOnly: true)
      configuration.encryptionKey = ModelConfiguration.EncryptionKey()
      let container = try ModelContainer(for: FirstNote.self, configurations: configuration)
      let context = ModelContext(container)
      context.insert(FirstNote())
      try context.save()
      #expect(throws: SwiftDataError.unsupportedPredicate) {
        try context.fetch(FetchDescriptor<FirstNote>(predicate: #Predicate { $0.body == "" }))
      }
    }
  }
#else
  import SwiftData
  import Testing

  @Suite("@Attribute(.encrypt) in a build without the package trait Encryption")
  struct NoEncryptionTests {
    @Test("opening a container throws an error that names the package trait to enable")
    func unavailable() throws {
      let error = #expect(throws: SwiftDataError.encryptionUnavailable) { try SealedStore() }
      #expect(error?.explanation?.contains("traits: [.defaults, \"Encryption\"]") == true)
    }
  }
#endif
