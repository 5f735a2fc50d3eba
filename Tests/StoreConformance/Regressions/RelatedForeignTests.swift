import SwiftData
import Testing

@Suite("Regressions: new models that relate to models of other contexts")
struct RelatedForeignTests {
  @Test(
    "every save throws if an inserted model relates to a model of another container", arguments: Engine.allCases)
  func otherContainer(_ engine: Engine) throws {
    let store = try TestStore(engine, letterModels)
    let other = try TestStore(engine, letterModels)
    let there = other.context()
    let theirs = Stamp("theirs")
    there.insert(theirs)
    try there.save()
    let here = store.context()
    here.insert(Stamp("another row with the same key"))
    try here.save()
    let letter = Letter("a", seal: theirs)
    here.insert(letter)
    for _ in 0..<2 { #expect(throws: SwiftDataError.modelOfAnotherContext) { try here.save() } }
    #expect(try store.context().fetchCount(FetchDescriptor<Letter>()) == 0)
    #expect(theirs.modelContext === there)
  }

  @Test(
    "an inserted model that relates to another context's object gets this context's object of the same row",
    arguments: Engine.allCases)
  func sameContainer(_ engine: Engine) throws {
    let store = try TestStore(engine, letterModels)
    let there = store.context()
    let theirs = Stamp("row")
    there.insert(theirs)
    try there.save()
    let here = store.context()
    let letter = Letter("a", seal: theirs)
    letter.stamps = [theirs]
    here.insert(letter)
    try here.save()
    #expect(letter.seal?.modelContext === here)
    #expect(letter.stamps.first === letter.seal)
    #expect(theirs.modelContext === there)
    let third = store.context()
    let stored = try #require(try third.fetch(FetchDescriptor<Letter>()).first)
    #expect(stored.seal?.text == "row")
    #expect(stored.stamps.map(\.text) == ["row"])
    #expect(try third.fetchCount(FetchDescriptor<Stamp>()) == 1)
  }
}
