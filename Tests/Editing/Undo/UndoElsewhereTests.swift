import ConformanceSupport
import SwiftData
import Testing

@Suite("Undo in another context")
struct UndoElsewhereTests {
  @Test("undo restores a row as a new object if this context has found the row deleted", arguments: Engine.allCases)
  func missed(_ engine: Engine) throws {
    let store = try TestStore.studios(engine)
    let (here, there) = (store.context(), store.context())
    let artist = Artist("Ada")
    there.insert(artist)
    try there.save()
    var names = FetchDescriptor<Artist>()
    names.propertiesToFetch = [\.name]
    let missed = try #require(try here.fetch(names).first)
    let manager = UndoManager()
    there.undoManager = manager
    there.delete(artist)
    try there.save()
    _ = missed.age
    #expect(missed.isDeleted)
    manager.undo()
    try there.save()
    let back = try #require(try here.fetch(FetchDescriptor<Artist>()).first)
    #expect(back !== missed && !back.isDeleted && missed.isDeleted)
    back.age = 5
    try here.save()
    #expect(try store.context().artist("Ada").age == 5)
  }
}
