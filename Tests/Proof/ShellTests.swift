import ConformanceSupport
import Foundation
import SwiftData
import Testing

@Suite("Stores in SQLite's shell")
struct ShellTests {
  private static let sound = "PRAGMA integrity_check; PRAGMA foreign_key_check;"

  private func expectSound(_ path: String, _ shell: Program, location: SourceLocation = #_sourceLocation) throws {
    #expect(try shell.run([path, Self.sound]) == ["ok"], sourceLocation: location)
  }

  @Test(
    "inserts, changes and deletes rows; the library reads the same as after its own writes", arguments: Shell.allCases)
  func work(_ kind: Shell) async throws {
    let (store, shell) = (try MuseumStore(), try kind.program())
    let script = try String(contentsOf: Program.scripts.appending(path: "work.sql"), encoding: .utf8)
    try shell.run([store.path], input: script)
    try expectSound(store.path, shell)
    try await store.expectWhole(try MuseumStore.worked())
    try expectSound(store.path, shell)
  }

  @Test("the shell vacuums, checks and analyzes a store without changing its content", arguments: Shell.allCases)
  func vacuum(_ kind: Shell) async throws {
    let (store, shell) = (try MuseumStore(), try kind.program())
    let contents = try store.contents()
    #expect(
      try shell.run([
        store.path, "PRAGMA integrity_check; VACUUM; REINDEX; ANALYZE; PRAGMA optimize; PRAGMA quick_check",
      ])
        == ["ok", "ok"])
    try expectSound(store.path, shell)
    try await store.expectWhole(contents)
  }

  @Test("the shell cannot violate the constraints of the models", arguments: Shell.allCases)
  func rules(_ kind: Shell) async throws {
    let (store, shell) = (try MuseumStore(), try kind.program())
    let contents = try store.contents()
    for (statement, reason) in [
      ("INSERT INTO Room (name, floor, x) VALUES ('hall', 1, 1)", "UNIQUE constraint failed: Room.name"),
      ("UPDATE Exhibit SET plate = 'plate 1' WHERE name = 'exhibit 5'", "UNIQUE constraint failed: Exhibit.plate"),
      ("UPDATE Pledge SET amount = '100'", "UNIQUE constraint failed: Pledge.amount"),
      ("DELETE FROM Exhibit WHERE name = 'exhibit 11'", "FOREIGN KEY constraint failed"),
      ("UPDATE Loan SET exhibit = 9999", "FOREIGN KEY constraint failed"),
      ("UPDATE Exhibit SET maker = NULL", "NOT NULL constraint failed: Exhibit.maker"),
    ] {
      let result = try shell.result([store.path, "PRAGMA foreign_keys = ON; \(statement)"])
      #expect(result.status != 0 && result.errors.contains(reason), "\(statement): \(result.errors)")
    }
    try await store.expectWhole(contents)
  }

  @Test("the shell dumps a store, and a store restored from the dump has the same content")
  func dump() async throws {
    let (store, shell) = (try MuseumStore(), try Shell.system.program())
    let dump = try shell.result([store.path, ".dump"])
    try #require(dump.status == 0 && dump.errors.isEmpty, "\(dump.errors)")
    let file = store.folder.appending(path: "reloaded.db")
    try shell.run([file.path], input: dump.output)
    let copy = try MuseumStore(file, of: store)
    try expectSound(file.path, shell)
    try await copy.expectWhole(try store.contents())
    try expectSound(file.path, shell)
  }

  @Test("the shell recovers a store from its pages, and the recovered store has the same content")
  func recover() async throws {
    let store = try MuseumStore()
    // Removes infinite numbers, because this shell writes infinity in a form that no shell can read.
    try store.change { context in
      for exhibit in try context.fetch(FetchDescriptor<Exhibit>()) {
        if exhibit.weight.isInfinite { exhibit.weight = 1 }
        if exhibit.height?.isInfinite == true { exhibit.height = 2 }
        if exhibit.ratio.isInfinite { exhibit.ratio = 3 }
      }
    }
    let recovered = try Environment.recoveringShell().result([store.path, ".recover"])
    try #require(recovered.status == 0 && recovered.errors.isEmpty, "\(recovered.errors)")
    let (file, shell) = (store.folder.appending(path: "recovered.db"), try Shell.system.program())
    try shell.run([file.path], input: recovered.output)
    try expectSound(file.path, shell)
    #expect(
      try shell.run([file.path, "SELECT count(*) FROM sqlite_master WHERE name LIKE 'lost_and_found%'"]) == ["0"])
    try await MuseumStore(file, of: store).expectWhole(try store.contents())
  }

  @Test(
    "the shell copies a store that another process has open", arguments: Shell.allCases,
    [".backup '%'", "VACUUM INTO '%'"])
  func copies(_ kind: Shell, _ way: String) async throws {
    let (store, shell) = (try MuseumStore(), try kind.program())
    let contents = try store.contents()
    let container = try store.container()
    let file = store.folder.appending(path: "copy.db")
    try shell.run([store.path, way.replacingOccurrences(of: "%", with: file.path)])
    withExtendedLifetime(container) {}
    try expectSound(file.path, shell)
    try await MuseumStore(file, of: store).expectWhole(contents)
  }

  @Test("the shell sorts decimals by their collation, and shows dates by the documented expression")
  func expressions() throws {
    let (store, shell) = (try MuseumStore(), try Shell.system.program())
    let context = ModelContext(try store.container())
    let sorted = try context.fetch(FetchDescriptor<Pledge>(sortBy: [SortDescriptor(\.amount)])).map(\.name)
    #expect(try shell.run([store.path, "SELECT name FROM Pledge ORDER BY amount COLLATE decimal"]) == sorted)
    #expect(try shell.run([store.path, "SELECT name FROM Pledge ORDER BY CAST(amount AS REAL)"]) == sorted)
    let query = """
      SELECT DISTINCT strftime('%Y-%m-%d %H:%M:%f', "from" + 978307200, 'unixepoch') FROM Loan
      """
    #expect(try shell.run([store.path, query]) == ["2026-05-09 06:13:20.250"])
  }

  @Test("the shell copies a store that is in use to a replica, and later updates the replica")
  func replica() async throws {
    let (store, rsync) = (try MuseumStore(), try Environment.withoutTrees("sqlite3_rsync"))
    let container = try store.container()
    let file = store.folder.appending(path: "replica.db")
    try rsync.run([store.path, file.path])
    try store.change { try Work($0).perform() }
    try rsync.run([store.path, file.path])
    withExtendedLifetime(container) {}
    try expectSound(file.path, try Shell.system.program())
    try await MuseumStore(file, of: store).expectWhole(try store.contents())
  }

  @Test("a shell without the R-tree module can change only tables without R-trees")
  func withoutTrees() async throws {
    let (store, shell) = (try MuseumStore(), try Environment.withoutTrees("sqlite3_shell"))
    for statement in [
      "INSERT INTO Room (name, floor, x) VALUES ('attic', 1, 1)", "DELETE FROM Exhibit", "UPDATE Room SET x = 1",
    ] {
      let result = try shell.result(["-bail", store.path, statement])
      #expect(result.status != 0 && result.errors.contains("no such module: rtree"), "\(statement): \(result.errors)")
    }
    try shell.run([store.path, "UPDATE Pledge SET amount = '7.25' WHERE name = 'gold'"])
    #expect(try shell.run([store.path, "PRAGMA integrity_check"]) == ["ok"])
    let expected = try MuseumStore()
    try expected.change { try $0.fetch(FetchDescriptor<Pledge>()).first { $0.name == "gold" }?.amount = 7.25 }
    try await store.expectWhole(try expected.contents())
  }
}
