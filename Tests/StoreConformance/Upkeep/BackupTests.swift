import ConformanceSupport
import SwiftData
import Testing

@Suite("Backing up a store with backup(to:)")
struct BackupTests {
  /// A folder for the backups of a test, which is removed when the object is released.
  final class Folder {
    let url: URL

    init() throws { url = try TestStore.makeFolder() }

    deinit { try? FileManager.default.removeItem(at: url) }

    func file(_ name: String) -> URL { url.appending(path: name) }

    var names: [String] { ((try? FileManager.default.contentsOfDirectory(atPath: url.path)) ?? []).sorted() }
  }

  static func open(_ url: URL, allowsSave: Bool = true) throws -> ModelContainer {
    let schema = Schema(Archive.models)
    return try ModelContainer(
      for: schema, configurations: ModelConfiguration(schema: schema, url: url, allowsSave: allowsSave))
  }

  static func contents(_ container: ModelContainer) throws -> [String] {
    let items = try ModelContext(container).fetch(FetchDescriptor<ArchiveItem>(sortBy: [SortDescriptor(\.number)]))
    return items.map { item in
      "\(item.number) \(item.title) \(item.price) \(item.scan.map { "\($0.count) of \($0[0])" } ?? "-") "
        + "\(item.shelf?.name ?? "-") \(item.topics.map(\.name)) \(item.code) \(item is ArchiveBook)"
    }
  }

  @Test("a backup contains all data, and can be opened as a store and written to", arguments: Engine.with(.backup))
  func copy(_ engine: Engine) async throws {
    let archive = try Archive(engine, items: 9)
    let folder = try Folder()
    try await archive.container.backup(to: folder.file("copy.store"))
    #expect(folder.names == (engine == .file ? ["copy.store", "copy.store_external"] : ["copy.store"]))
    let copy = try Self.open(folder.file("copy.store"), allowsSave: false)
    #expect(try Self.contents(copy) == Self.contents(archive.container))
    #expect(try await copy.check() == [])
    try await copy.close()
    let own = try Self.open(folder.file("copy.store"))
    let context = ModelContext(own)
    context.insert(ArchiveTopic("new"))
    try context.save()
    #expect(try await own.check() == [])
  }

  @Test("a backup does not overwrite existing files")
  func occupied() async throws {
    let archive = try Archive()
    let folder = try Folder()
    let file = folder.file("copy.store")
    try Data("mine".utf8).write(to: file)
    await #expect(throws: SwiftDataError.storeUnreachable) { try await archive.container.backup(to: file) }
    #expect(try Data(contentsOf: file) == Data("mine".utf8) && folder.names == ["copy.store"])
    try FileManager.default.removeItem(at: file)
    try FileManager.default.createDirectory(at: folder.file("copy.store_external"), withIntermediateDirectories: true)
    await #expect(throws: SwiftDataError.storeUnreachable) { try await archive.container.backup(to: file) }
    #expect(folder.names == ["copy.store_external"])
    await #expect(throws: SwiftDataError.storeUnreachable) {
      try await archive.container.backup(to: folder.file("none/copy.store"))
    }
  }

  @Test("a backup replaces the files that a killed backup left, and removes no other files")
  func remains() async throws {
    let archive = try Archive()
    let folder = try Folder()
    let unfinished = folder.file("copy.store.unfinished")
    try FileManager.default.createDirectory(at: unfinished, withIntermediateDirectories: true)
    try Data(repeating: 1, count: 5_000).write(to: unfinished.appending(path: "copy.store"))
    try Data("copy.store_external/copy.store".utf8).write(to: unfinished.appending(path: "copy.store.publishing"))
    try FileManager.default.createDirectory(at: folder.file("copy.store_external"), withIntermediateDirectories: true)
    try Data([1]).write(to: folder.file("copy.store_external/9"))
    try await archive.container.backup(to: folder.file("copy.store"))
    #expect(folder.names == ["copy.store", "copy.store_external"])
    #expect(!FileManager.default.fileExists(atPath: folder.file("copy.store_external/9").path))
    #expect(try await Self.open(folder.file("copy.store")).check() == [])
  }

  @Test(
    "a backup may have any valid file name",
    arguments: ["publishing", "a\nb.store", "a%20b?c#d.store", "Ä ß.store", "copy.store.publishing", "x.unfinished"])
  func names(_ name: String) async throws {
    let archive = try Archive()
    let folder = try Folder()
    try await archive.container.backup(to: folder.file(name))
    #expect(folder.names == [name, name + "_external"])
    #expect(try Self.contents(Self.open(folder.file(name), allowsSave: false)) == Self.contents(archive.container))
  }

  @Test("a backup does not mistake other files in its folder for files of a killed backup")
  func neighbours() async throws {
    let archive = try Archive()
    let folder = try Folder()
    let unfinished = folder.file("a\nb.unfinished")
    try FileManager.default.createDirectory(at: unfinished, withIntermediateDirectories: true)
    try Data("a\nb_external/a\nb".utf8).write(to: unfinished.appending(path: "a\nb.publishing"))
    for name in ["a", "b_external"] { try Data([1]).write(to: folder.file(name)) }
    try await archive.container.backup(to: folder.file("a\nb"))
    #expect(folder.names == ["a", "a\nb", "a\nb_external", "b_external"])
  }

  @Test("a cancelled backup leaves no files")
  func cancelled() async throws {
    let archive = try Archive()
    let folder = try Folder()
    let progress = Archive.progress()
    progress.cancel()
    await #expect(throws: CancellationError.self) {
      try await archive.container.backup(to: folder.file("copy.store"), progress: progress)
    }
    #expect(folder.names == [])
  }

  @Test("the stores of a container with several stores are backed up into one folder")
  func several() async throws {
    let folder = try Folder()
    let (topics, shelves) = (Schema([ArchiveTag.self]), Schema([ArchiveBox.self]))
    let configurations = [
      ModelConfiguration("one", schema: topics, url: folder.file("a.store")),
      ModelConfiguration("two", schema: shelves, url: folder.file("b.store")),
    ]
    let container = try ModelContainer(
      for: Schema([ArchiveTag.self, ArchiveBox.self]), configurations: configurations)
    try await container.backup(to: folder.file("copies"))
    let copies = try FileManager.default.contentsOfDirectory(atPath: folder.file("copies").path).sorted()
    #expect(copies == ["a.store", "b.store"])
    await #expect(throws: SwiftDataError.storeUnreachable) { try await container.backup(to: folder.file("copies")) }
  }

  /// A Python program that prints a line when it has begun to write, and then inserts two rows in each transaction
  /// until its input ends.
  private static let writer = """
    import sqlite3, sys, threading
    done = threading.Event()
    threading.Thread(target=lambda: (sys.stdin.read(), done.set()), daemon=True).start()
    c = sqlite3.connect(sys.argv[1], isolation_level=None, timeout=30)
    print('writing')
    number = 1000
    while not done.is_set():
        c.execute('BEGIN IMMEDIATE')
        for half in (0, 1):
            c.execute('INSERT INTO ArchiveBadge (number) VALUES (?)', (number,))
        c.execute('COMMIT')
        number += 1
    """

  @Test("a backup contains only whole transactions, even if another process commits meanwhile")
  func whileWriting() async throws {
    let archive = try Archive(items: 300)
    let folder = try Folder()
    let process = try PythonProcess(Self.writer, arguments: [archive.path])
    for number in 0..<10 {
      let file = folder.file("copy \(number).store")
      try await archive.container.backup(to: file)
      let copy = try RawDatabase(file.path)
      let halves = try copy.column(
        "SELECT number FROM ArchiveBadge WHERE number >= 1000 GROUP BY number HAVING count(*) <> 2")
      #expect(halves == [])
      #expect(try copy.problems() == [])
    }
    #expect(process.finish() == 0)
    #expect(try archive.number("SELECT count(*) FROM ArchiveBadge WHERE number >= 1000") > 0)
    let opened = try Self.open(folder.file("copy 9.store"))
    #expect(try await opened.check().allSatisfy { $0.kind == .counter })
  }

  @Test("a backup contains the external file of every row, even if contexts replace the values meanwhile")
  func replacedValues() async throws {
    let archive = try Archive(items: 3)
    let folder = try Folder()
    let (container, hasSaved) = (archive.container, Flag())
    let writing = RepeatedWork { count in
      let context = ModelContext(container)
      for item in try context.fetch(FetchDescriptor<ArchiveItem>()) {
        item.scan = Data(repeating: UInt8(10 + count % 240), count: 150_000)
      }
      try context.save()
      hasSaved.raise()
    }
    for number in 0..<8 {
      if number == 1 { #expect(await eventually { hasSaved.isRaised }) }
      let file = folder.file("\(number).store")
      try await container.backup(to: file)
      let copy = try Self.open(file)
      let scans = try ModelContext(copy).fetch(FetchDescriptor<ArchiveItem>()).compactMap { $0.scan?.first }
      #expect(scans.count == 3 && Set(scans).count <= 3)
      #expect(number == 0 || Set(scans).count == 1)
      #expect(try await copy.check() == [])
    }
    try await writing.stop()
  }

  @Test("if the external file of a value is missing in the store, it is missing in the backup too")
  func lostValue() async throws {
    let archive = try Archive()
    let folder = try Folder()
    try FileManager.default.removeItem(atPath: archive.path + "_external/2")
    try await archive.container.backup(to: folder.file("copy.store"))
    #expect(try await Self.open(folder.file("copy.store")).check().map(\.kind) == [.missingFile])
  }

  @Test("backing up or checking a closed store throws")
  func closed() async throws {
    let archive = try Archive()
    let folder = try Folder()
    try await archive.container.close()
    await #expect(throws: SwiftDataError.storeUnreachable) {
      try await archive.container.backup(to: folder.file("copy.store"))
    }
    await #expect(throws: SwiftDataError.storeUnreachable) { try await archive.container.check() }
    #expect(folder.names == [])
  }
}

@Model final class ArchiveTag {
  var name = ""

  init() {}
}

@Model final class ArchiveBox {
  var name = ""

  init() {}
}
