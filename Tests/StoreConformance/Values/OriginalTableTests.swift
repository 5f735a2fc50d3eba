import ConformanceSupport
import SwiftData
import Testing

/// If a value differs from the form that its column contains, the store records the original in the table
/// `_osd_originals`. These tests read this table with plain SQLite.
@Suite("The table of original values")
struct OriginalTableTests {
  private let decomposed = "cafe\u{301}"
  private let composed = "caf\u{E9}"

  @Test("the column contains the normalised form, and the table contains the original text and the sign of zero")
  func contents() throws {
    let store = try TestStore.ofPapers(.file)
    let paper = Paper("1", decomposed, weight: -0.0)
    paper.place.city = "a\u{0}b"
    try store.savePapers(paper)
    let row = try store.raw().rows("SELECT hex(title), weight, hex(place_city) FROM Paper")
    #expect(row == [["636166C3A9", "0.0", "61010162"]])
    // A text with U+0000 is recorded as bytes, so that no program truncates it.
    let kept = try store.raw().rows("SELECT \"column\", typeof(original), hex(original) FROM _osd_originals ORDER BY 1")
    #expect(
      kept == [["place_city", "blob", "610062"], ["title", "text", "63616665CC81"], ["weight", "text", "2D302E30"]])
  }

  @Test("if another program changes the column, its value takes precedence over the recorded original")
  func otherPrograms() throws {
    let store = try TestStore.ofPapers(.file)
    try store.savePapers(Paper("1", decomposed, weight: -0.0))
    try store.raw().run("UPDATE Paper SET title = 'th\u{E9}', weight = 2.5")
    #expect(ExactText(try store.paper("1").title) == ExactText("th\u{E9}"))
    #expect(try store.paper("1").weight == 2.5)
    let context = store.context()
    let paper = try context.paper("1")
    paper.title = "the\u{301}"
    try context.save()
    #expect(ExactText(try store.paper("1").title) == ExactText("the\u{301}"))
  }

  @Test("a check normalises texts of other programs and records their spelling, including that of raw values")
  func checked() async throws {
    let store = try TestStore.ofPapers(.file)
    try store.savePapers(Paper("1", "plain"))
    try store.raw().run(
      "UPDATE Paper SET title = 'a' || char(1) || char(1) || 'b', mark = 'cafe' || char(0x301), "
        + "kind = 'cafe' || char(0x301), place_city = 'x' || char(1)")
    let problems = try await store.container.check(repairing: true)
    #expect(Set(problems.map(\.column)) == ["title", "mark", "kind", "place_city"])
    try store.reopen()
    let paper = try store.paper("1")
    #expect(ExactText(paper.title) == ExactText("a\u{0}b") && ExactText(paper.place.city) == ExactText("x\u{1}"))
    #expect(ExactText(paper.mark.rawValue) == ExactText(decomposed) && paper.kind == .cafe)
    #expect(try await store.container.check() == [])
    #expect(try store.originals().count == 3)
  }

  @Test("deleting objects, deleting by predicate, cascades and erasing the store remove the originals of the rows")
  func deletions() throws {
    let store = try TestStore.ofPapers(.file)
    let context = store.context()
    for number in 0..<6 { context.insert(Paper("\(number)", decomposed)) }
    let shelf = PaperShelf(decomposed)
    shelf.papers = [Paper("s", decomposed), Essay("e", topic: decomposed)]
    context.insert(shelf)
    try context.save()
    #expect(try store.originals().count == 9)
    context.delete(try context.paper("0"))
    try context.save()
    #expect(try store.originals().count == 8)
    try context.delete(model: Paper.self, where: #Predicate { $0.code < "3" })
    try context.save()
    #expect(try store.originals().count == 6)
    let other = store.context()
    other.delete(try #require(try other.fetch(FetchDescriptor<PaperShelf>()).first))
    try other.save()
    #expect(try store.originals() == Array(repeating: "Paper.title.\(decomposed)", count: 3))
    try store.container.erase()
    #expect(try store.originals() == [])
  }

  @Test("an update removes only the originals of the columns that it changes")
  func updates() throws {
    let store = try TestStore.ofPapers(.file)
    let paper = Paper("1", decomposed)
    (paper.subtitle, paper.place.city) = (decomposed, decomposed)
    try store.savePapers(paper, Paper("2", decomposed))
    let context = store.context()
    try context.paper("1").title = composed
    try context.save()
    #expect(
      try store.originals() == ["place_city", "subtitle", "title"].map { "Paper.\($0).\(decomposed)" })
    try context.paper("1").place.city = "Rome"
    try context.save()
    #expect(try store.originals() == ["subtitle", "title"].map { "Paper.\($0).\(decomposed)" })
  }

  @Test("if a row is not inserted, because of a conflict or an upsert, no original is recorded for its key")
  func refusedRows() throws {
    let store = try TestStore(.file, paperModels, uniquenessPolicy: .throwError)
    try store.savePapers(Paper("1", "plain"))
    #expect(throws: SwiftDataError.self) { try store.savePapers(Paper("1", decomposed), Paper("2", decomposed)) }
    #expect(try store.originals() == [])
    let merging = try TestStore.ofPapers(.file)
    try merging.savePapers(Paper("1", "plain"))
    try merging.savePapers(Paper("1", decomposed))
    // The original is recorded under the key of the existing row.
    #expect(
      try merging.raw().column("SELECT key FROM _osd_originals") == merging.raw().column("SELECT _osd_key FROM Paper"))
  }

  @Test("if another program drops the table, reads and saves work, and a save creates the table again when it needs it")
  func droppedTable() throws {
    let store = try TestStore.ofPapers(.file)
    try store.savePapers(Paper("1", decomposed))
    try store.raw().run("DROP TABLE _osd_originals")
    #expect(ExactText(try store.paper("1").title) == ExactText(composed))
    let context = store.context()
    try context.paper("1").subtitle = "plain"
    try context.save()
    try context.paper("1").subtitle = decomposed
    try context.save()
    #expect(ExactText(try store.paper("1").subtitle ?? "") == ExactText(decomposed))
    try store.container.erase()
  }

  @Test("a store without original values has no such table and runs no statement on it")
  func ordinaryStore() throws {
    let recorder = LogRecorder()
    let folder = try TestStore.makeFolder()
    defer { try? FileManager.default.removeItem(at: folder) }
    var configuration = ModelConfiguration(schema: Schema(paperModels), url: folder.appending(path: "plain.store"))
    configuration.slowStatementLog = ModelConfiguration.SlowStatementLog(threshold: .zero, logger: recorder.logger())
    let container = try ModelContainer(for: Schema(paperModels), configurations: [configuration])
    let context = ModelContext(container)
    for number in 0..<10 { context.insert(Paper("\(number)", "\u{D558}\u{B8E8} caf\u{E9} \(number)", weight: 0)) }
    try context.save()
    let other = ModelContext(container)
    for _ in 0..<5 { _ = try other.fetch(FetchDescriptor<Paper>(sortBy: [SortDescriptor(\.title)])) }
    for number in 0..<5 {
      try other.paper("\(number)").title = "t\u{E9} \(number)"
      try other.save()
      other.delete(try other.paper("\(9 - number)"))
      try other.save()
    }
    #expect(recorder.statements.count > 10)
    #expect(recorder.statements.allSatisfy { !$0.contains("_osd_originals") })
    #expect(
      try RawDatabase(configuration.url.path).column("SELECT name FROM sqlite_master WHERE name LIKE '_osd_or%'") == [])
  }

  @Test("open connections read the first original that another container records, and their changes remove it")
  func firstOriginal() throws {
    let store = try TestStore.ofPapers(.file)
    try store.savePapers(Paper("1", "plain"), Paper("2", "plain"))
    func open() throws -> ModelContainer {
      try ModelContainer(for: Schema(paperModels), configurations: [ModelConfiguration(url: store.configuration.url)])
    }
    let (early, other) = (try open(), try open())
    // By this save, the connections of the first container have found out that the table does not exist.
    let context = ModelContext(early)
    try context.paper("2").subtitle = "known"
    try context.save()
    let changing = ModelContext(other)
    try changing.paper("1").title = decomposed
    try changing.paper("2").title = decomposed
    try changing.save()
    #expect(ExactText(try ModelContext(early).paper("1").title) == ExactText(decomposed))
    let late = ModelContext(early)
    try late.paper("1").title = composed
    late.delete(try late.paper("2"))
    try late.save()
    #expect(ExactText(try ModelContext(other).paper("1").title) == ExactText(composed))
    #expect(try store.raw().column("SELECT count(*) FROM _osd_originals") == ["0"])
  }

  @Test(
    "if a rollback to a savepoint removes the table, later saves of the transaction work without it",
    arguments: Engine.allCases)
  func undoneTable(_ engine: Engine) throws {
    let store = try TestStore.ofPapers(engine)
    let context = store.context()
    context.insert(Paper("1", "plain"))
    try context.transaction {
      try context.save()
      struct Undone: Error {}
      try? context.transaction {
        try context.paper("1").title = decomposed
        try context.save()
        throw Undone()
      }
      try context.paper("1").subtitle = "changed"
      try context.save()
    }
    #expect(try store.paper("1").title == "plain" && store.paper("1").subtitle == "changed")
    try context.paper("1").title = decomposed
    try context.save()
    #expect(ExactText(try store.paper("1").title) == ExactText(decomposed))
  }
}
