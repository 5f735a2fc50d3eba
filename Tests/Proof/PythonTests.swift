import ConformanceSupport
import Foundation
import SwiftData
import Testing

@Suite("Python's sqlite3")
struct PythonTests {
  @Test("inserts, changes and deletes rows; the library reads the same as after its own writes")
  func work() async throws {
    let store = try MuseumStore()
    let output = try Environment.script("work_sqlite3.py").run([store.path])
    #expect(
      output == [
        "UNIQUE constraint failed: Room.name", "FOREIGN KEY constraint failed", "FOREIGN KEY constraint failed",
        "NOT NULL constraint failed: Exhibit.maker", "ok", "0",
      ])
    try await store.expectWhole(try MuseumStore.worked())
  }

  @Test("changes a store that contexts have open, and the next fetch of each context returns the changes")
  func openContexts() async throws {
    let store = try MuseumStore()
    let container = try store.container()
    let context = ModelContext(container)
    let exhibits = try context.fetch(FetchDescriptor<Exhibit>())
    let maker = try #require(try context.fetch(FetchDescriptor<Maker>()).first { $0.name == "cy" })
    #expect(exhibits.count == 36 && exhibits.first { $0.name == "exhibit 2" }?.subtitle != "from \u{3B1} to \u{3C9}")
    let output = try Environment.script("work_sqlite3.py").run([store.path])
    #expect(output.suffix(2) == ["ok", "0"])
    let again = try context.fetch(FetchDescriptor<Exhibit>())
    #expect(again.count == 36 + 2 - 5 && again.contains { $0.name == "new sculpture" })
    #expect(exhibits.first { $0.name == "exhibit 2" }?.subtitle == "from \u{3B1} to \u{3C9}")
    #expect(try !context.fetch(FetchDescriptor<Maker>()).contains { $0 === maker })
    let expected = try MuseumStore.worked()
    #expect(try Contents(context).differences(from: expected) == [])
  }

  @Test("copies a store by its pages and by its bytes", arguments: ["backup", "serialize"])
  func copies(_ way: String) async throws {
    let store = try MuseumStore()
    let file = store.folder.appending(path: "copy.db")
    #expect(try Environment.script("copy_sqlite3.py").run([way, store.path, file.path]) == ["ok"])
    try await MuseumStore(file, of: store).expectWhole(try store.contents())
  }
}
