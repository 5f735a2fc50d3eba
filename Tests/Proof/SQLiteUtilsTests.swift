import ConformanceSupport
import Foundation
import SwiftData
import Testing

@Suite("sqlite-utils")
struct SQLiteUtilsTests {
  private func utilities() throws -> Program { try Environment.program("sqlite-utils") }

  @Test("inserts, changes and deletes rows; the library reads the same as after its own writes")
  func work() async throws {
    let store = try MuseumStore()
    #expect(try Environment.script("work_sqlite_utils.py").run([store.path]) == ["ok", "0"])
    try await store.expectWhole(try MuseumStore.worked())
  }

  @Test("lists, queries, analyses and vacuums a store from the command line")
  func commands() async throws {
    let (store, utilities) = (try MuseumStore(), try utilities())
    let contents = try store.contents()
    let tables = try utilities.run(["tables", store.path, "--csv", "--no-headers"])
    #expect(Set(tables).isSuperset(of: ["Exhibit", "Room", "Loan", "_osd_metadata", "_osd_link_Exhibit_topics"]))
    let rows = try utilities.run(
      ["rows", store.path, "Pledge", "-c", "name", "-c", "amount", "--order", "amount", "--csv", "--no-headers"])
    #expect(rows == ["silver,100", "gold,12.5"])
    let query = "SELECT count(*) AS n FROM Exhibit WHERE title = :title"
    #expect(try utilities.run(["query", store.path, query, "-p", "title", "Z\u{FC}rich", "--csv"]).last == "4")
    #expect(
      try utilities.run(["indexes", store.path, "Exhibit", "--csv"]).contains {
        $0.contains("_osd_unique_Exhibit_name")
      })
    for command in ["analyze", "optimize", "vacuum"] { try utilities.run([command, store.path]) }
    try await store.expectWhole(contents)
  }

  @Test("inserts rows of JSON from the command line, and the library's next fetch returns them")
  func insert() async throws {
    let (store, utilities) = (try MuseumStore(), try utilities())
    let container = try store.container()
    let context = ModelContext(container)
    #expect(try context.fetchCount(FetchDescriptor<Topic>()) == 3)
    try utilities.run(["insert", store.path, "Topic", "-"], input: #"[{"name": "Gesch\u00f6pf"}, {"name": "b"}]"#)
    #expect(
      try Set(context.fetch(FetchDescriptor<Topic>()).map(\.name)) == ["war", "peace", "sea", "b", "Gesch\u{F6}pf"])
    context.insert(Topic("c"))
    try context.save()
    #expect(try await store.check() == [])
  }

  @Test("adds a full-text index with its own triggers; saves of the library keep the index current")
  func fullText() async throws {
    let (store, utilities) = (try MuseumStore(), try utilities())
    let contents = try store.contents()
    try utilities.run(["enable-fts", store.path, "Exhibit", "title", "--create-triggers"])
    try store.change { try Work($0).perform() }
    let found = try utilities.run([
      "search", store.path, "Exhibit", "Pi\u{E9}ta", "-c", "name", "--csv", "--no-headers",
    ])
    #expect(Set(found) == ["new sculpture", "exhibit 2"])
    #expect(
      try utilities.run(["search", store.path, "Exhibit", "space", "-c", "name", "--csv", "--no-headers"]).count == 1)
    #expect(contents != (try store.contents()))
    try await store.expectWhole(try MuseumStore.worked())
  }

  private func transform(_ tables: [String], in store: MuseumStore) throws {
    for table in tables { try utilities().run(["transform", store.path, table]) }
    let statements = "PRAGMA integrity_check; PRAGMA foreign_key_check"
    #expect(try Shell.system.program().run([store.path, statements]) == ["ok"])
  }

  @Test("rebuilds tables without the library's triggers; a check reports and restores the triggers")
  func transform() async throws {
    let store = try MuseumStore()
    let contents = try store.contents()
    try transform(["Room", "Maker", "Topic", "Label"], in: store)
    try store.expectSame(contents)
    let problems = try await store.check()
    #expect(problems.count == 3 && problems.allSatisfy { $0.kind == .index && $0.repair == .possible })
    #expect(problems.allSatisfy { "\($0)".contains("_osd_rtree_Room_x_y_") }, "\(problems)")
    #expect(try await store.check(repairing: true).allSatisfy { $0.repair == .done })
    try await store.expectWhole(contents)
  }

  @Test(
    "rebuilds tables so that foreign keys are not deferred; the content is unchanged, and a check reports the change")
  func transformReferences() async throws {
    let store = try MuseumStore()
    let contents = try store.contents()
    try transform(["Exhibit", "Loan", "Pledge"], in: store)
    try store.expectSame(contents)
    let triggers = try await store.check(repairing: true).filter { $0.kind == .index }
    #expect(triggers.count == 7 && triggers.allSatisfy { $0.repair == .done }, "\(triggers)")
    let left = try await store.check()
    #expect(left.map(\.kind) == [.definition, .definition, .definition], "\(left)")
    #expect(left.allSatisfy { "\($0)".contains("not deferred") && $0.repair == .impossible }, "\(left)")
    try store.expectSame(contents)
  }
}
