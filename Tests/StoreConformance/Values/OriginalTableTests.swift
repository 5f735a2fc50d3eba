import ConformanceSupport
import SwiftData
import Testing

/// What SQLite alone sees of originals.
@Suite("The table of originals")
struct OriginalTableTests {
  private let decomposed = "cafe\u{301}"
  private let composed = "caf\u{E9}"

  @Test("the column has the stored form, and the table the text and the sign of zero")
  func contents() throws {
    let store = try TestStore.ofPapers(.file)
    let paper = Paper("1", decomposed, weight: -0.0)
    paper.place.city = "a\u{0}b"
    try store.savePapers(paper)
    let row = try store.raw().rows("SELECT hex(title), weight, hex(place_city) FROM Paper")
    #expect(row == [["636166C3A9", "0.0", "61010162"]])
    // A text with U+0000 is kept as bytes, so that no program cuts it.
    let kept = try store.raw().rows("SELECT \"column\", typeof(original), hex(original) FROM _osd_originals ORDER BY 1")
    #expect(
      kept == [["place_city", "blob", "610062"], ["title", "text", "63616665CC81"], ["weight", "text", "2D302E30"]])
  }

  @Test("a change by another program wins")
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

  @Test("deletions take originals along: single ones, batches, cascades, and the erasure of the store")
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

  @Test("an update removes the originals of its columns, and no others")
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

  @Test("a row that is not written leaves no original")
  func refusedRows() throws {
    let store = try TestStore(.file, paperModels, uniquenessPolicy: .throwError)
    try store.savePapers(Paper("1", "plain"))
    #expect(throws: SwiftDataError.self) { try store.savePapers(Paper("1", decomposed), Paper("2", decomposed)) }
    #expect(try store.originals() == [])
    let merging = try TestStore.ofPapers(.file)
    try merging.savePapers(Paper("1", "plain"))
    try merging.savePapers(Paper("1", decomposed))
    // Under the key of the row that was there.
    #expect(
      try merging.raw().column("SELECT key FROM _osd_originals") == merging.raw().column("SELECT _osd_key FROM Paper"))
  }

  @Test("a table that another program dropped is made again when it is needed, and missed by nothing else")
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

  @Test("an ordinary store never writes to it, and a connection asks once for each version of the file")
  func ordinaryStore() throws {
    let recorder = LogRecorder()
    let folder = try TestStore.makeFolder()
    defer { try? FileManager.default.removeItem(at: folder) }
    var configuration = ModelConfiguration(schema: Schema(paperModels), url: folder.appending(path: "plain.store"))
    configuration.slowStatementLog = ModelConfiguration.SlowStatementLog(threshold: .zero, logger: recorder.logger())
    let container = try ModelContainer(for: Schema(paperModels), configurations: [configuration])
    func touches(_ body: (ModelContext) throws -> Void) throws -> [String] {
      recorder.clear()
      try body(ModelContext(container))
      return recorder.statements.filter { $0.contains("_osd_originals") }
    }
    // What is asked by the connection that writes, and by the one that reads.
    let inserted = try touches { context in
      for number in 0..<10 { context.insert(Paper("\(number)", "\u{D558}\u{B8E8} caf\u{E9} \(number)", weight: 0)) }
      try context.save()
    }
    #expect(inserted == [])
    let read = try touches { context in
      for _ in 0..<5 { _ = try context.fetch(FetchDescriptor<Paper>(sortBy: [SortDescriptor(\.title)])) }
      for number in 0..<10 { #expect(try context.paper("\(number)").weight == 0) }
    }
    #expect(read.count == 1 && read[0].hasPrefix("SELECT"))
    // The connection that writes asks at its first change of a row, and knows what it did itself from then on.
    let changed = try touches { context in
      for number in 0..<5 {
        try context.paper("\(number)").title = "t\u{E9} \(number)"
        try context.save()
        context.delete(try context.paper("\(9 - number)"))
        try context.save()
      }
    }
    #expect(changed.allSatisfy { $0.hasPrefix("SELECT min(") })
    #expect(changed.count <= 1 + 10)
  }
}
