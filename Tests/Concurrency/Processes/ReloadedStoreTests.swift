import ConformanceSupport
import SharedStoreWorkload
import SwiftData
import Testing

/// A store that a Python script restored from an SQL dump. The header of the new file does not identify it as a store
/// until the library opens it.
@Suite("A store that was restored from a dump, opened by several processes at once", .timeLimit(.minutes(5)))
struct ReloadedStoreTests {
  private static let reload = """
    import sqlite3, sys
    old, new = sqlite3.connect(sys.argv[1]), sqlite3.connect(sys.argv[2])
    new.executescript('\\n'.join(old.iterdump()))
    """

  private func header(_ path: String) throws -> [String] {
    let database = try RawDatabase(path)
    return try ["application_id", "user_version", "journal_mode"].flatMap { try database.column("PRAGMA \($0)") }
  }

  @Test("one process completes the restored store, and the store contains what each process saved", arguments: 1...3)
  func processes(round: Int) async throws {
    let (made, folder) = (try SharedFolder(), try SharedFolder())
    let context = ModelContext(try SharedStore.open(made.path))
    context.insert(Entry(writer: "first", number: 0))
    try context.save()
    let expected = try header(made.path)
    let path = folder.path
    #expect(try PythonProcess.run(Self.reload, arguments: [made.path, path]) == 0)
    #expect(try header(path) == ["0", "0", "delete"])
    try await withThrowingTaskGroup(of: Void.self) { group in
      for number in 0..<4 { group.addTask { _ = try await OtherProcess.run("write", path, "writer \(number)", "5") } }
      try await group.waitForAll()
    }
    #expect(try header(path) == expected && expected.last == "wal")
    let after = ModelContext(try SharedStore.open(path))
    for number in 0..<4 {
      let entries = try after.fetch(SharedStore.entries(of: "writer \(number)"))
      #expect(entries.map(\.number) == Array(0..<5))
    }
    let count = try after.fetchCount(FetchDescriptor<Entry>())
    #expect(count == 21)
    #expect(try RawDatabase(path).problems() == [])
  }
}
