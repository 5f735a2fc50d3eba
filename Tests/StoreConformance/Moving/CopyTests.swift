import ConformanceSupport
import OpenSwiftData
import Synchronization
import Testing

@Suite("Copying a store with copy(to:)")
struct CopyTests {
  private let folder: BackupTests.Folder

  init() throws { folder = try BackupTests.Folder() }

  private func configuration(_ name: String = "copy.store") -> ModelConfiguration {
    ModelConfiguration(schema: Schema(Archive.models), url: folder.file(name))
  }

  private func open(_ name: String = "copy.store") throws -> ModelContainer { try BackupTests.open(folder.file(name)) }

  @Test("the copy contains all models with their values, relationships and identifiers", arguments: Engine.sqlite)
  func everything(_ engine: Engine) async throws {
    let archive = try Archive(engine, items: 9)
    let source = ModelContext(archive.container)
    let topics = try source.fetch(FetchDescriptor<ArchiveTopic>(sortBy: [SortDescriptor(\.name)]))
    topics[0].items.swapAt(0, 8)
    try source.save()
    let order = topics[0].items.map(\.number)
    let encoded = try JSONEncoder().encode(topics.map { Model($0) })
    let copy = try await archive.container.copy(to: configuration())
    #expect(copy.models.first { $0.name == "ArchiveItem" }?.count == 5)
    #expect(copy.models.first { $0.name == "ArchiveBook" }?.count == 4)
    #expect(copy.leftHistoryBehind)
    let opened = try open()
    #expect(try BackupTests.contents(opened) == BackupTests.contents(archive.container))
    #expect(try await opened.check() == [])
    let context = ModelContext(opened)
    let found = try JSONDecoder().decode([Model<ArchiveTopic>].self, from: encoded).map { try context.get($0) }
    #expect(found.map(\.name) == topics.map(\.name))
    #expect(found[0].items.map(\.number) == order)
    // A copy of the copy has the same checksums.
    let second = try await opened.copy(to: configuration("second.store"))
    #expect(second.models == copy.models && second.relationships == copy.relationships)
    #expect(second.storeIdentifier == copy.storeIdentifier && !second.leftHistoryBehind)
  }

  @Test(
    "new rows of a copy get keys above all keys of the source, and its history begins after the source's last token"
  )
  func keysAndHistory() async throws {
    let archive = try Archive()
    let source = archive.store.context()
    let last = ArchiveTopic("last")
    source.insert(last)
    try source.save()
    let gone = last.persistentModelID
    let early = try #require(try source.fetchHistory(HistoryDescriptor<DefaultHistoryTransaction>()).first?.token)
    source.delete(last)
    try source.save()
    let late = try #require(try source.fetchHistory(HistoryDescriptor<DefaultHistoryTransaction>()).last?.token)
    try await archive.container.copy(to: configuration())
    let context = ModelContext(try open())
    let new = ArchiveTopic("new")
    context.insert(new)
    try context.save()
    #expect(new.persistentModelID > gone && new.persistentModelID.storeIdentifier == gone.storeIdentifier)
    func history(after token: DefaultHistoryToken) throws -> Int {
      try context.fetchHistory(
        HistoryDescriptor<DefaultHistoryTransaction>(predicate: #Predicate { $0.token > token })
      ).count
    }
    #expect(try history(after: late) == 1)
    #expect(throws: SwiftDataError.historyTokenExpired) { try history(after: early) }
  }

  @Test("a cancelled copy leaves no model, and a copy never overwrites existing models")
  func wholeOrNot() async throws {
    let archive = try Archive(items: 60)
    let context = archive.store.context()
    for number in 0..<6_000 { context.insert(ArchiveTopic("topic \(number)")) }
    try context.save()
    let container = archive.container
    let progress = WatchedProgress(at: 100) { $0.cancel() }
    await #expect(throws: CancellationError.self) {
      try await container.copy(to: configuration(), progress: progress)
    }
    #expect(progress.completedUnitCount < 500)
    do {
      let opened = try open()
      #expect(try ModelContext(opened).fetchCount(FetchDescriptor<ArchiveTopic>()) == 0)
      #expect(!FileManager.default.fileExists(atPath: folder.file("copy.store_external/1").path))
      #expect(try await opened.check() == [])
      try await opened.close()
    }
    try await container.copy(to: configuration())
    let error = await #expect(throws: SwiftDataError.storeUnreachable) {
      try await container.copy(to: configuration())
    }
    #expect(error?.explanation?.contains("has models already") == true)
    #expect(try ModelContext(open()).fetchCount(FetchDescriptor<ArchiveTopic>()) == 6_002)
  }

  @Test("the copy contains one snapshot of the source, even if contexts save during the copy", arguments: Engine.sqlite)
  func moment(_ engine: Engine) async throws {
    let archive = try Archive(engine)
    let context = archive.store.context()
    for number in 0..<3_000 { context.insert(ArchiveTopic("topic \(number)")) }
    try context.save()
    let container = archive.container
    let count = Atomic(0)
    let progress = WatchedProgress(at: 100) { _ in
      // A store in memory has a single connection, which the copy occupies, so no context can save meanwhile.
      guard engine == .file else { return }
      let other = ModelContext(container)
      other.insert(ArchiveTopic("late"))
      if (try? other.save()) != nil { count.add(1, ordering: .relaxed) }
    }
    let copy = try await container.copy(to: configuration(), progress: progress)
    #expect(copy.models.first { $0.name == "ArchiveTopic" }?.count == 3_002)
    let topics = try archive.store.context().fetchCount(FetchDescriptor<ArchiveTopic>())
    #expect(count.load(ordering: .relaxed) == (engine == .file ? 1 : 0))
    #expect(topics == 3_002 + count.load(ordering: .relaxed))
  }

  @Test("if a value cannot be read, copying throws an error that names the row")
  func missingFile() async throws {
    let archive = try Archive()
    try FileManager.default.removeItem(atPath: archive.path + "_external/2")
    let error = await #expect(throws: SwiftDataError.corruptValue) {
      try await archive.container.copy(to: configuration())
    }
    #expect(error?.explanation?.contains("Row ") == true && error?.explanation?.contains("Nothing was copied") == true)
    #expect(try ModelContext(open()).fetchCount(FetchDescriptor<ArchiveItem>()) == 0)
  }

  @Test("the copy keeps the original spelling of texts and the sign of zeros, including in structs and enums")
  func originals() async throws {
    let store = try TestStore.ofPapers(.file)
    let papers = ["cafe\u{301}", "a\u{0}b", "\u{1}\u{2}", "plain"].map { Paper($0, $0) }
    for (index, paper) in papers.enumerated() {
      paper.weight = index == 0 ? -0.0 : 0
      paper.ratio = index == 1 ? -0.0 : nil
      paper.place = PaperPlace(city: paper.code, hint: paper.code, height: -0.0)
      paper.kind = PaperKind.allCases[index % 3]
      paper.mark = PaperMark(rawValue: paper.code)
      paper.tags = [paper.code]
    }
    try store.savePapers(papers[0], papers[1], papers[2], papers[3], Essay("e", topic: "e\u{301}"))
    try await store.container.copy(to: ModelConfiguration(schema: store.schema, url: folder.file("copy.store")))
    func lines(_ path: String) throws -> [String] {
      let raw = try RawDatabase(path)
      return try raw.originals("SELECT \"table\", \"column\", original FROM _osd_originals ORDER BY 1, key, 2")
        .map { "\($0)" }
        + raw.column("SELECT quote(title) || quote(weight) || quote(kind) || quote(mark) || quote(tags) FROM Paper")
    }
    let known = try lines(store.configuration.url.path)
    #expect(known.count > 20)
    #expect(try lines(folder.file("copy.store").path) == known)
  }

  @Test("copying compares the data of both stores afterwards, and throws if a trigger has changed copied values")
  func verification() async throws {
    let archive = try Archive()
    try await open("copy.store").close()
    try RawDatabase(folder.file("copy.store").path).run(
      """
      CREATE TRIGGER other AFTER INSERT ON ArchiveTopic BEGIN
      UPDATE ArchiveTopic SET name = upper(name) WHERE _osd_key = new._osd_key; END
      """)
    let error = await #expect(throws: SwiftDataError.storeFailure) {
      try await archive.container.copy(to: configuration())
    }
    #expect(error?.explanation?.contains("of ArchiveTopic it has 2 with the checksum") == true)
    #expect(try ModelContext(open()).fetchCount(FetchDescriptor<ArchiveTopic>()) == 0)
  }

  @Test("if the class of a row is unknown, copying throws a descriptive error")
  func strangeRows() async throws {
    let archive = try Archive()
    try archive.run("UPDATE ArchiveItem SET _osd_entity = 'Nothing' WHERE _osd_key = 1")
    let error = await #expect(throws: SwiftDataError.corruptValue) {
      try await archive.container.copy(to: configuration())
    }
    #expect(error?.explanation?.contains("1 rows of ArchiveItem are of no class") == true)
    #expect(try await archive.check().contains { $0.key == 1 })
  }

  @Test("copying throws if the destination is a store in memory or a store of other models")
  func refused() async throws {
    let archive = try Archive()
    await #expect(throws: SwiftDataError.storeUnreachable) {
      try await archive.container.copy(to: ModelConfiguration(isStoredInMemoryOnly: true))
    }
    _ = try ModelContainer(for: ArchiveTopic.self, configurations: ModelConfiguration(url: folder.file("other.store")))
    let before = try Data(contentsOf: folder.file("other.store"))
    await #expect(throws: SwiftDataError.unknownSchema) {
      try await archive.container.copy(to: configuration("other.store"))
    }
    #expect(try Data(contentsOf: folder.file("other.store")) == before)
  }
}

#if Encryption
  @Suite("Copying encrypted values")
  struct SealedCopyTests {
    @Test("the copy's encrypted values are encrypted with the key of the copy's configuration")
    func keys() async throws {
      let store = try SealedStore()
      let container = try store.container(store.key)
      let context = ModelContext(container)
      let diary = Diary("a", body: "PLAINTEXT of the body")
      diary.picture = Data(String(repeating: "PLAINTEXT in a file", count: 20_000).utf8)
      context.insert(diary)
      try context.save()
      let folder = try BackupTests.Folder()
      var configuration = ModelConfiguration(schema: store.schema, url: folder.file("copy.store"))
      await #expect(throws: SwiftDataError.self) { try await container.copy(to: configuration) }
      configuration.encryptionKey = ModelConfiguration.EncryptionKey()
      try await container.copy(to: configuration)
      #expect(try !Data(contentsOf: folder.file("copy.store")).contains(Array("PLAINTEXT of".utf8)))
      let opened = try ModelContainer(for: store.schema, configurations: configuration)
      let found = try #require(try ModelContext(opened).fetch(FetchDescriptor<Diary>()).first)
      #expect(found.body == "PLAINTEXT of the body" && found.picture == diary.picture)
      #expect(found.persistentModelID == diary.persistentModelID)
      try await opened.close()
      configuration.encryptionKey = store.key
      #expect(throws: SwiftDataError.self) { try ModelContainer(for: store.schema, configurations: configuration) }
    }
  }
#endif
