import ConformanceSupport
import SwiftData
import Testing

@Suite("Original spellings that other connections, contexts or columns record", .serialized)
struct SeveralOriginalsTests {
  private let apart = "cafe\u{301}"
  private let whole = "caf\u{E9}"

  @Test("connections detect the first original that another container records, its changes and its deletion")
  func containers() throws {
    let store = try TestStore.ofPapers(.file)
    try store.savePapers(Paper("1", whole), Paper("2", "plain", weight: 0))
    let other = try ModelContainer(for: store.schema, configurations: [store.configuration])
    func there(_ change: (ModelContext) throws -> Void) throws {
      let context = ModelContext(other)
      try change(context)
      try context.save()
    }
    #expect(ExactText(try store.paper("1").title) == ExactText(whole))
    try there { try $0.paper("1").title = apart }
    #expect(ExactText(try store.paper("1").title) == ExactText(apart))
    // The writing connection has not read an original before, and must still remove this one.
    let context = store.context()
    try context.paper("1").title = whole
    try context.save()
    #expect(ExactText(try ModelContext(other).paper("1").title) == ExactText(whole))
    #expect(try store.originals() == [])
    try there { try $0.paper("2").weight = -0.0 }
    #expect(try store.paper("2").weight.sign == .minus)
    try there { $0.delete(try $0.paper("2")) }
    #expect(try store.originals() == [])
    try there { $0.insert(Paper("e\u{301}", apart)) }
    try store.savePapers(Paper("\u{E9}", whole))
    #expect(try store.originals() == [])
    #expect(ExactText(try ModelContext(other).paper("\u{E9}").code) == ExactText("\u{E9}"))
  }

  @Test(
    "properties that share a change bit keep their originals when any of them changes", arguments: Engine.allCases)
  func sharedBits(_ engine: Engine) throws {
    let store = try TestStore(engine, [Broad.self, BroadOwner.self])
    let context = store.context()
    let broad = Broad()
    (broad.p3, broad.p62, broad.p65, broad.p70) = (apart, apart, apart, apart)
    context.insert(broad)
    try context.save()
    let changing = store.context()
    let found = try #require(try changing.fetch(FetchDescriptor<Broad>()).first)
    found.p70 = whole
    try changing.save()
    let last = try #require(try store.context().fetch(FetchDescriptor<Broad>()).first)
    #expect(
      [last.p3, last.p62, last.p65, last.p70].map(ExactText.init) == [apart, apart, apart, whole].map(ExactText.init))
    var partial = FetchDescriptor<Broad>()
    partial.propertiesToFetch = [\.p3]
    let third = store.context()
    let part = try #require(try third.fetch(partial).first)
    part.p66 = "e\u{301}"
    try third.save()
    let end = try #require(try store.context().fetch(FetchDescriptor<Broad>()).first)
    #expect([end.p3, end.p65, end.p66].map(ExactText.init) == [apart, apart, "e\u{301}"].map(ExactText.init))
  }

  @Test("a context reads the originals again after refreshes, faults and rollbacks", arguments: Engine.allCases)
  func refreshes(_ engine: Engine) throws {
    let store = try TestStore.ofPapers(engine)
    let essay = Essay("e", topic: apart)
    (essay.title, essay.subtitle) = (apart, whole)
    try store.savePapers(Paper("1", apart, weight: -0.0), essay)
    let context = store.context()
    let (paper, own) = (try context.paper("1"), try #require(try context.paper("e") as? Essay))
    (paper.title, paper.weight, own.topic) = (whole, 0, whole)
    context.rollback()
    #expect(ExactText(paper.title) == ExactText(apart) && paper.weight.sign == .minus)
    #expect(ExactText(own.topic) == ExactText(apart) && ExactText(own.subtitle ?? "") == ExactText(whole))
    // Another context swaps the spellings of two properties, which the next fetch must read.
    let there = store.context()
    let swapped = try #require(try there.paper("e") as? Essay)
    (swapped.topic, swapped.subtitle) = (whole, apart)
    try there.save()
    _ = try context.fetch(FetchDescriptor<Paper>())
    #expect(ExactText(own.topic) == ExactText(whole) && ExactText(own.subtitle ?? "") == ExactText(apart))
    let model = try #require(context.model(for: paper.persistentModelID) as? Paper)
    #expect(ExactText(model.title) == ExactText(apart))
    // The same test for the raw value of a struct, whose `==` treats both spellings as equal.
    let marking = store.context()
    let marked = try marking.paper("1")
    marked.mark = PaperMark(rawValue: whole)
    try marking.save()
    _ = try context.fetch(FetchDescriptor<Paper>())
    #expect(ExactText(paper.mark.rawValue) == ExactText(whole))
    marked.mark = PaperMark(rawValue: apart)
    try marking.save()
    _ = try context.fetch(FetchDescriptor<Paper>())
    #expect(ExactText(paper.mark.rawValue) == ExactText(apart))
    // An update of an object of a subclass writes a column that its superclass declares.
    own.title = whole
    try context.save()
    let found = try #require(try store.paper("e") as? Essay)
    #expect(
      [found.title, found.topic, found.subtitle ?? ""].map(ExactText.init) == [whole, whole, apart].map(ExactText.init))
  }

  @Test("each member of a struct has an original of its own", arguments: Engine.allCases)
  func structs(_ engine: Engine) throws {
    let store = try TestStore.ofPapers(engine)
    let paper = Paper("1", whole)
    paper.spare = PaperPlace(city: apart, hint: whole, height: -0.0)
    try store.savePapers(paper)
    let context = store.context()
    let found = try context.paper("1")
    found.spare?.hint = apart
    try context.save()
    let spare = try store.paper("1").spare
    #expect(ExactText(spare?.city ?? "") == ExactText(apart) && ExactText(spare?.hint ?? "") == ExactText(apart))
    #expect(spare?.height.sign == .minus)
    found.spare = nil
    try context.save()
    #expect(try store.paper("1").spare == nil)
    found.spare = PaperPlace(city: whole, hint: nil, height: 0)
    try context.save()
    let last = try store.paper("1").spare
    #expect(ExactText(last?.city ?? "") == ExactText(whole) && last?.height.sign == .plus && last?.hint == nil)
  }
}
