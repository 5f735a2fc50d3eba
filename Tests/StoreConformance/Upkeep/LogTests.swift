import ConformanceSupport
import PersistenceCore
import SwiftData
import Testing

@Suite("The size of the write-ahead log of a store in use")
struct LogTests {
  /// A Python program that reads until its input ends. Two connections take turns, and each begins its read transaction
  /// before the other ends, so that a snapshot is always open.
  private static let readers = """
    import sqlite3, sys, threading, time
    done = threading.Event()
    threading.Thread(target=lambda: (sys.stdin.read(), done.set()), daemon=True).start()
    cs = [sqlite3.connect(sys.argv[1], isolation_level=None) for _ in range(2)]
    def begin(c):
        c.execute('BEGIN')
        c.execute('SELECT count(*) FROM ArchiveTag').fetchall()
    begin(cs[0])
    print('reading')
    turn = 0
    while not done.is_set():
        begin(cs[1 - turn])
        time.sleep(0.005)
        cs[turn].execute('COMMIT')
        turn = 1 - turn
    """

  /// A Python program that keeps one read transaction, and so its snapshot, open until its input ends.
  private static let reader = """
    import sqlite3, sys
    c = sqlite3.connect(sys.argv[1], isolation_level=None)
    c.execute('BEGIN')
    c.execute('SELECT count(*) FROM ArchiveTag').fetchall()
    print('reading')
    sys.stdin.read()
    """

  private final class Written {
    let store: TestStore
    let context: ModelContext

    init() throws {
      store = try TestStore(.file, [ArchiveTag.self])
      context = store.context()
      for _ in 0..<500 { context.insert(ArchiveTag()) }
      try context.save()
    }

    var logSize: Int {
      let path = store.configuration.url.path + "-wal"
      return (try? FileManager.default.attributesOfItem(atPath: path)[.size] as? Int) ?? 0
    }

    /// Saves this many megabytes of changed rows. Without checkpoints, the log would grow by at least this size.
    func write(megabytes: Int) throws {
      let tags = try context.fetch(FetchDescriptor<ArchiveTag>())
      for round in 0..<megabytes {
        // Each save writes 500 rows of 2 KB.
        for (index, tag) in tags.enumerated() { tag.name = String(repeating: "\((round + index) % 10)", count: 2_000) }
        try context.save()
      }
    }
  }

  @Test("the log stays below 40 MB while two readers with overlapping snapshots take turns")
  func turns() throws {
    let written = try Written()
    let process = try PythonProcess(Self.readers, arguments: [written.store.configuration.url.path])
    try written.write(megabytes: 120)
    let size = written.logSize
    #expect(process.finish() == 0)
    #expect(size < 40 << 20, "\(size >> 20) MB")
  }

  @Test("the log grows while a reader keeps its snapshot, and shrinks with the saves after the reader ended")
  func longReader() throws {
    let written = try Written()
    let process = try PythonProcess(Self.reader, arguments: [written.store.configuration.url.path])
    try written.write(megabytes: 60)
    let grown = written.logSize
    #expect(grown > 50 << 20)
    #expect(process.finish() == 0)
    try written.write(megabytes: 6)
    #expect(written.logSize <= 17 << 20, "\(written.logSize >> 20) MB")
  }

  @Test("the log is emptied after a long read of this process ended, without a further save")
  func ownReader() async throws {
    let written = try Written()
    let engine = try #require(written.context.stores.stores.first?.engine)
    let entity = try #require(written.context.stores.stores.first?.layouts.first)
    try engine.fetch(FetchRequest(entity: entity, selection: .all), in: nil) { rows in
      // The snapshot of the read is open as soon as the first row was read.
      guard rows.functions.pointee.step(rows.row) == rows.functions.pointee.rowCode else { return }
      try Self.grow(written)
    }
    let isSmall = try await eventually {
      // When a read ends, the store tries the checkpoint again, at most once a second.
      _ = try written.store.context().fetchCount(FetchDescriptor<ArchiveTag>())
      return written.logSize == 0
    }
    #expect(isSmall, "\(written.logSize >> 10) KB")
  }

  @Test("closing the store deletes the log and closes all files of the store")
  func closed() async throws {
    for _ in 0..<3 {
      let written = try Written()
      let engine = try #require(written.context.stores.stores.first?.engine)
      let entity = try #require(written.context.stores.stores.first?.layouts.first)
      try engine.fetch(FetchRequest(entity: entity, selection: .all), in: nil) { rows in
        guard rows.functions.pointee.step(rows.row) == rows.functions.pointee.rowCode else { return }
        try Self.grow(written)
      }
      // The end of the read has started a checkpoint in the background, which may still be running.
      try await written.store.container.close()
      #expect(written.logSize == 0)
      #expect(Self.openFiles(in: written.store.configuration.url.deletingLastPathComponent().path) == [])
    }
  }

  /// The paths of the files in a folder that this process has open.
  private static func openFiles(in folder: String) -> [String] {
    let descriptors = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")) ?? []
    return descriptors.compactMap { try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\($0)") }
      .filter { $0.hasPrefix(folder) }
  }

  private static func grow(_ written: Written) throws {
    try written.write(megabytes: 40)
    #expect(written.logSize > 30 << 20)
  }

  @Test("saves do not become much slower while a long reader keeps its snapshot and the log grows")
  func saves() throws {
    let written = try Written()
    let process = try PythonProcess(Self.reader, arguments: [written.store.configuration.url.path])
    let tag = try #require(written.context.fetch(FetchDescriptor<ArchiveTag>()).first)
    func median() throws -> Duration {
      let times = try (0..<51).map { number in
        tag.name = "\(number)"
        return try cpuTime { try written.context.save() }
      }
      return times.sorted()[25]
    }
    let before = try median()
    try written.write(megabytes: 150)
    let after = try median()
    #expect(process.finish() == 0)
    #expect(after < before * 3 + .microseconds(300), "\(before), then \(after)")
  }
}
