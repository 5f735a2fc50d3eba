import ConformanceSupport
import SwiftData
import Testing

@Suite("Restoring a store with restore(from:to:)")
struct RestoreTests {
  typealias Folder = BackupTests.Folder

  /// A closed store whose rows and external files have changed since its backup was made.
  private struct Changed {
    let folder: Folder
    let store: URL
    let backup: URL
    let old: [String]

    init() async throws {
      folder = try Folder()
      store = folder.file("trips.store")
      backup = folder.file("backup.store")
      let first = try Archive(items: 5)
      try await first.container.backup(to: store)
      let container = try BackupTests.open(store)
      try await container.backup(to: backup)
      old = try BackupTests.contents(container)
      let context = ModelContext(container)
      for item in try context.fetch(FetchDescriptor<ArchiveItem>()) {
        item.title = "changed"
        item.scan = Data(repeating: 99, count: 300_000)
      }
      try context.save()
      try await container.close()
    }

    var files: [String] {
      ((try? FileManager.default.contentsOfDirectory(atPath: store.path + "_external")) ?? []).sorted()
    }
  }

  @Test("a restored store contains the rows and external files of the backup, and nothing of the old store")
  func replaced() async throws {
    let changed = try await Changed()
    try await ModelContainer.restore(from: changed.backup, to: changed.store)
    let container = try BackupTests.open(changed.store)
    #expect(try BackupTests.contents(container) == changed.old)
    #expect(try await container.check() == [])
    #expect(changed.files.count == 3)
    let context = ModelContext(container)
    for item in try context.fetch(FetchDescriptor<ArchiveItem>()) { item.scan = Data(repeating: 5, count: 200_000) }
    try context.save()
    #expect(try await container.check() == [])
    try await container.close()
    #expect(
      changed.folder.names
        == ["backup.store", "backup.store_external", "trips.store", "trips.store_external"])
    // The backup is unchanged.
    #expect(try BackupTests.contents(BackupTests.open(changed.backup, allowsSave: false)) == changed.old)
  }

  @Test("opening a store removes the external files of the old store that a killed restoration left")
  func leftFiles() async throws {
    let changed = try await Changed()
    let folder = URL(filePath: changed.store.path + "_external")
    let kept = changed.folder.file("kept")
    try FileManager.default.copyItem(at: folder, to: kept)
    let old = changed.files
    try await ModelContainer.restore(from: changed.backup, to: changed.store)
    // A restoration removes the old external files last. Copying them back recreates the state of a restoration that
    // was killed before.
    for name in old {
      try FileManager.default.copyItem(at: kept.appending(path: name), to: folder.appending(path: name))
    }
    let container = try BackupTests.open(changed.store)
    #expect(changed.files.count == 3)
    #expect(Set(changed.files).isDisjoint(with: old))
    #expect(try BackupTests.contents(container) == changed.old)
    #expect(try await container.check() == [])
  }

  @Test("a restoration creates the store and its folder if they do not exist")
  func made() async throws {
    let changed = try await Changed()
    let other = changed.folder.file("new/other.store")
    try await ModelContainer.restore(from: changed.backup, to: other)
    let container = try BackupTests.open(other)
    #expect(try BackupTests.contents(container) == changed.old)
    #expect(try await container.check() == [])
  }

  @Test("restoring over a store that this process has open throws, and does not change the store")
  func openHere() async throws {
    let changed = try await Changed()
    let container = try BackupTests.open(changed.store)
    _ = try ModelContext(container).fetchCount(FetchDescriptor<ArchiveItem>())
    await #expect(throws: SwiftDataError.storeBusy) {
      try await ModelContainer.restore(from: changed.backup, to: changed.store)
    }
    #expect(try BackupTests.contents(container).allSatisfy { $0.contains("changed") })
    #expect(try await container.check() == [])
  }

  /// A Python program that keeps a database open, without a transaction, until its input ends.
  private static let reader = """
    import sqlite3, sys
    c = sqlite3.connect(sys.argv[1], isolation_level=None)
    print(c.execute('SELECT count(*) FROM ArchiveItem').fetchall())
    sys.stdin.read()
    print(c.execute('SELECT count(*) FROM ArchiveItem').fetchall())
    """

  @Test("restoring over a store that another process has open throws, and does not change the store")
  func openElsewhere() async throws {
    let changed = try await Changed()
    let process = try PythonProcess(Self.reader, arguments: [changed.store.path])
    do {
      try await ModelContainer.restore(from: changed.backup, to: changed.store)
      Issue.record("the store was replaced")
    } catch let error as SwiftDataError where error == .storeBusy {
      #expect(error.explanation?.contains("is open in this process or another one") == true)
    }
    #expect(process.finish() == 0)
    #expect(changed.files.count == 5)
    try await ModelContainer.restore(from: changed.backup, to: changed.store)
    #expect(try BackupTests.contents(BackupTests.open(changed.store)) == changed.old)
  }

  @Test("restoring from or over a file that is not a store throws")
  func noStores() async throws {
    let changed = try await Changed()
    let folder = changed.folder
    let text = folder.file("text.store")
    try Data(repeating: 65, count: 10_000).write(to: text)
    let other = folder.file("other.store")
    try RawDatabase.make(other.path, "CREATE TABLE mine (a)")
    for source in [text, other, folder.file("missing.store")] {
      await #expect(throws: SwiftDataError.self) {
        try await ModelContainer.restore(from: source, to: changed.store)
      }
    }
    await #expect(throws: SwiftDataError.storeNotADatabase) {
      try await ModelContainer.restore(from: changed.backup, to: text)
    }
    await #expect(throws: SwiftDataError.storeOfAnotherProgram) {
      try await ModelContainer.restore(from: changed.backup, to: other)
    }
    await #expect(throws: SwiftDataError.storeUnreachable) {
      try await ModelContainer.restore(from: changed.backup, to: changed.backup)
    }
    #expect(try Data(contentsOf: text) == Data(repeating: 65, count: 10_000))
    #expect(try RawDatabase(other.path).column("SELECT name FROM sqlite_master") == ["mine"])
    #expect(try BackupTests.contents(BackupTests.open(changed.store)).allSatisfy { $0.contains("changed") })
  }

  @Test("restoring from a damaged backup throws, and does not change the store")
  func damagedBackup() async throws {
    let changed = try await Changed()
    let file = try FileHandle(forWritingTo: changed.backup)
    let size = try file.seekToEnd()
    try file.seek(toOffset: size / 2)
    try file.write(contentsOf: Data(repeating: 0xA5, count: 20_000))
    try file.close()
    await #expect(throws: SwiftDataError.storeCorrupt) {
      try await ModelContainer.restore(from: changed.backup, to: changed.store)
    }
    #expect(try BackupTests.contents(BackupTests.open(changed.store)).allSatisfy { $0.contains("changed") })
  }

  @Test("a restoration throws if external files without a store exist, and keeps them")
  func filesWithoutStore() async throws {
    let changed = try await Changed()
    try FileManager.default.removeItem(at: changed.store)
    await #expect(throws: SwiftDataError.storeUnreachable) {
      try await ModelContainer.restore(from: changed.backup, to: changed.store)
    }
    #expect(changed.files.count == 5)
    #expect(!FileManager.default.fileExists(atPath: changed.store.path))
  }

  @Test("a cancelled restoration leaves the old store unchanged")
  func cancelled() async throws {
    let changed = try await Changed()
    let progress = Archive.progress()
    progress.cancel()
    await #expect(throws: CancellationError.self) {
      try await ModelContainer.restore(from: changed.backup, to: changed.store, progress: progress)
    }
    let container = try BackupTests.open(changed.store)
    #expect(try BackupTests.contents(container).allSatisfy { $0.contains("changed") })
    #expect(try await container.check() == [])
  }

  @Test("restoring from a store in use copies one snapshot of its rows with their external files")
  func fromStoreInUse() async throws {
    let archive = try Archive(items: 12)
    let folder = try Folder()
    let container = archive.container
    let context = ModelContext(container)
    for item in try context.fetch(FetchDescriptor<ArchiveItem>()) { item.scan = Data(repeating: 1, count: 150_000) }
    try context.save()
    let writing = RepeatedWork { count in
      let context = ModelContext(container)
      for item in try context.fetch(FetchDescriptor<ArchiveItem>()) {
        // Saves only add large values and never remove any. So all files to which a snapshot refers exist while it is
        // copied.
        if item.scan == nil { item.scan = Data(repeating: UInt8(2 + count % 249), count: 150_000) }
      }
      if try context.fetchCount(FetchDescriptor<ArchiveItem>()) < 100 {
        context.insert(ArchiveItem("new", keeper: try context.fetch(FetchDescriptor<ArchiveKeeper>())[0]))
      }
      try context.save()
    }
    for number in 0..<6 {
      let store = folder.file("trips.store")
      try await ModelContainer.restore(from: archive.store.configuration.url, to: store)
      let container = try BackupTests.open(store)
      #expect(try await container.check() == [], "restoration \(number)")
      try await container.close()
    }
    try await writing.stop()
  }
}
