import SwiftData
import Testing

@Suite("Explanations of fetches", .serialized)
struct ExplanationTests {
  @Test("an explanation contains the statement, its values and the plan", arguments: Engine.allCases)
  func explanation(_ engine: Engine) throws {
    let context = try TestStore(engine).context()
    let title = "it's"
    var descriptor = FetchDescriptor<Text>(
      predicate: #Predicate { $0.title == title && $0.pages > 5 && [1, 2, 3].contains($0.pages) },
      sortBy: [SortDescriptor(\.rating)])
    descriptor.fetchLimit = 7
    descriptor.propertiesToFetch = [\.title]
    let explanation = try descriptor.explain(in: context)
    let columns = #""_osd_key", "title""# + (engine.has(.sqlite) ? "" : #", "_osd_originals""#)
    #expect(explanation.sql.hasPrefix("SELECT \(columns) FROM "))
    #expect(explanation.sql.contains(#""Text" WHERE "title" = "#))
    let end =
      engine.has(.sqlite) ? #""rating", "_osd_key" LIMIT ?4"# : #""rating" NULLS FIRST, "_osd_key" LIMIT $4::int8"#
    #expect(explanation.sql.hasSuffix("ORDER BY " + end))
    #expect(explanation.bindings == ["'it''s'", "5", "(1, 2, 3)", "7"])
    #expect(explanation.usesIndex)
    #expect(explanation.inMemory.isEmpty)
    #expect(!explanation.mergesPendingChanges)
    let text = "\(explanation)"
    #expect(text.contains((engine.has(.sqlite) ? "  ?1" : "  $1") + " = 'it''s'") && text.contains("– "))
    context.insert(Text("a"))
    #expect(try descriptor.explain(in: context).mergesPendingChanges)
  }

  @Test("a sort uses an index if there is one")
  func indexes() throws {
    let context = try TestStore(.file).context()
    func plan(_ order: SortDescriptor<Text>...) throws -> ModelContext.FetchExplanation {
      var descriptor = FetchDescriptor(sortBy: order)
      descriptor.fetchLimit = 10
      return try descriptor.explain(in: context)
    }
    let sorting = "USE TEMP B-TREE FOR ORDER BY"
    for order in [
      SortDescriptor(\Text.title), SortDescriptor(\.title, order: .reverse), SortDescriptor(\.pages),
      SortDescriptor(\.title, comparator: .lexical), SortDescriptor(\.title, comparator: .lexical, order: .reverse),
    ] {
      let explanation = try plan(order)
      #expect(explanation.usesIndex && !explanation.plan.contains { $0.text == sorting }, "\(explanation)")
    }
    #expect(try plan(SortDescriptor(\.title, comparator: .localizedStandard)).plan.contains { $0.text == sorting })
    let related = try plan(SortDescriptor(\.author?.agency?.name))
    let searches = related.plan.filter { $0.text.contains("USING INTEGER PRIMARY KEY") }
    #expect(searches.count == 2, "each step of a path is a look-up by key: \(related)")
  }
}
