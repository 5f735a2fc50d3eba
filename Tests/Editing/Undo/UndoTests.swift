import ConformanceSupport
import SwiftData
import Testing

@Suite("Undo of a context's changes")
struct UndoTests {
  @Test("edits of every kind of property are undone and redone", arguments: Engine.allCases)
  func edits(_ engine: Engine) throws {
    let (store, context, manager, artist) = try TestStore.undoable(engine)
    let old = Data(repeating: 7, count: 150_000)
    artist.portrait = old
    artist.address = Address(city: "Oslo", zip: 1)
    try context.save()
    artist.name = "Bo"
    artist.age += 1
    artist.score = 2.5
    artist.address?.zip = 9
    artist.tags.append("a")
    artist.tags.append("b")
    artist.portrait = nil
    for isSaved in [false, true] {
      if isSaved { try context.save() }
      manager.undo()
      #expect((artist.name, artist.age, artist.score) == ("Ada", 30, 0))
      #expect(artist.address == Address(city: "Oslo", zip: 1))
      #expect(artist.tags == [])
      #expect(artist.portrait == old)
      if isSaved { try context.save() }
      #expect(try (isSaved ? store.context() : context).artist("Ada").portrait == old)
      manager.redo()
      #expect((artist.name, artist.age, artist.score) == ("Bo", 31, 2.5))
      #expect(artist.address?.zip == 9)
      #expect(artist.tags == ["a", "b"])
      #expect(artist.portrait == nil)
    }
    try context.save()
    #expect(try store.context().artist("Bo").tags == ["a", "b"])
  }

  @Test("an insertion is undone and redone, saved or not", arguments: Engine.allCases, [false, true])
  func insertion(_ engine: Engine, isSaved: Bool) throws {
    let (store, context, manager, artist) = try TestStore.undoable(engine)
    let work = Work("Sonata", artist: artist)
    context.insert(work)
    if isSaved { try context.save() }
    let identifier = work.persistentModelID
    manager.undo()
    #expect(artist.works.isEmpty)
    if isSaved {
      try context.save()
      #expect(try store.context().fetchCount(FetchDescriptor<Work>()) == 0)
    } else {
      #expect(work.modelContext == nil)
      #expect(try context.fetchCount(FetchDescriptor<Work>()) == 0)
    }
    manager.redo()
    #expect(artist.works.map(\.title) == ["Sonata"])
    #expect(work.modelContext === context)
    #expect(try context.only(Work.self) === work)
    try context.save()
    if isSaved { #expect(work.persistentModelID == identifier) }
    #expect(try store.context().artist().works.map(\.title) == ["Sonata"])
  }

  @Test("a deletion with its cascade is undone, saved or not", arguments: Engine.allCases, [false, true])
  func deletion(_ engine: Engine, isSaved: Bool) throws {
    let (store, context, manager, artist) = try TestStore.undoable(engine)
    artist.works = ["A", "B", "C"].map { Work($0) }
    artist.works.swapAt(0, 2)
    let (studio, group) = (Studio("North"), Group("Red"))
    context.insert(studio)
    context.insert(group)
    for name in ["Bo", "Cy"] { context.insert(Artist(name, studio: studio)) }
    studio.artists.insert(artist, at: 1)
    group.members = [try context.artist("Cy"), artist, try context.artist("Bo")]
    artist.portrait = Data(repeating: 3, count: 120_000)
    try context.save()
    let identifier = artist.persistentModelID
    let works = artist.works
    context.delete(artist)
    if isSaved { try context.save() }
    #expect(studio.artists.count == 2)
    manager.undo()
    func check(_ context: ModelContext) throws {
      let artist = try context.artist()
      #expect(artist.works.map(\.title) == ["C", "B", "A"])
      #expect(artist.studio?.artists.map(\.name) == ["Bo", "Ada", "Cy"])
      #expect(artist.groups.first?.members.map(\.name) == ["Cy", "Ada", "Bo"])
      #expect(artist.portrait?.count == 120_000)
      #expect(artist.persistentModelID == identifier)
      let registered: Artist? = context.registeredModel(for: identifier)
      #expect(registered === artist)
    }
    #expect(try context.artist() === artist)
    #expect(zip(artist.works, works).allSatisfy { $0 === $1 })
    try check(context)
    try context.save()
    try check(context)
    try check(store.context())
    manager.redo()
    #expect(artist.isDeleted && works.allSatisfy(\.isDeleted))
    try context.save()
    #expect(try store.context().fetchCount(FetchDescriptor<Work>()) == 0)
    manager.undo()
    try context.save()
    try check(store.context())
  }

  @Test("changes of relationships are undone on both sides, with their order", arguments: Engine.allCases)
  func relationships(_ engine: Engine) throws {
    let (store, context, manager, artist) = try TestStore.undoable(engine)
    let (north, south) = (Studio("North"), Studio("South"))
    let groups = ["Red", "Blue", "Green"].map { Group($0) }
    for model in [north, south] { context.insert(model) }
    artist.studio = north
    artist.groups = groups
    artist.works = ["A", "B"].map { Work($0) }
    try context.save()
    artist.studio = south
    artist.groups.removeFirst()
    artist.groups.reverse()
    artist.works.swapAt(0, 1)
    artist.works[0].artist = nil
    for isSaved in [false, true] {
      if isSaved { try context.save() }
      manager.undo()
      for context in isSaved ? [context, try saved(store, context)] : [context] {
        let artist = try context.artist()
        #expect(artist.studio?.name == "North")
        #expect(artist.studio?.artists.map(\.name) == ["Ada"])
        #expect(artist.groups.map(\.name) == ["Red", "Blue", "Green"])
        #expect(artist.groups.allSatisfy { $0.members.map(\.name) == ["Ada"] })
        #expect(artist.works.map(\.title) == ["A", "B"])
      }
      #expect(south.artists.isEmpty)
      manager.redo()
      #expect(artist.studio === south && south.artists.count == 1 && north.artists.isEmpty)
      #expect(artist.groups.map(\.name) == ["Green", "Blue"])
      #expect(groups[0].members.isEmpty)
      #expect(artist.works.map(\.title) == ["A"])
    }
  }

  private func saved(_ store: TestStore, _ context: ModelContext) throws -> ModelContext {
    try context.save()
    return store.context()
  }

  @Test(
    "an undone deletion keeps its identifier after a rollback of the transaction that saved it",
    arguments: Engine.allCases)
  func deletionAndTransaction(_ engine: Engine) throws {
    let (store, context, manager, artist) = try TestStore.undoable(engine)
    let identifier = artist.persistentModelID
    context.delete(artist)
    try context.save()
    manager.undo()
    #expect(throws: Failure.self) {
      try context.transaction {
        try context.save()
        #expect(artist.persistentModelID == identifier)
        throw Failure()
      }
    }
    #expect(context.insertedModelsArray.count == 1)
    try context.save()
    #expect(artist.persistentModelID == identifier)
    #expect(try store.context().artist().persistentModelID == identifier)
  }

  @Test("a batch deletion is undone", arguments: Engine.allCases)
  func batchDeletion(_ engine: Engine) throws {
    let (store, context, manager, _) = try TestStore.undoable(engine)
    for age in 0..<10 { context.insert(Artist("\(age)", age: age)) }
    try context.save()
    try context.delete(model: Artist.self, where: #Predicate { $0.age < 5 })
    try context.save()
    #expect(try store.context().fetchCount(FetchDescriptor<Artist>()) == 6)
    manager.undo()
    try context.save()
    #expect(try store.context().fetchCount(FetchDescriptor<Artist>()) == 11)
  }

  @Test("undoing an insertion that became an upsert does not delete the row", arguments: Engine.allCases)
  func upsert(_ engine: Engine) throws {
    let store = try TestStore(engine, [Label.self])
    let context = store.context()
    context.insert(Label("a", 1))
    try context.save()
    let manager = UndoManager()
    context.undoManager = manager
    context.insert(Label("a", 2))
    context.insert(Label("b", 3))
    try context.save()
    manager.undo()
    try context.save()
    #expect(try store.context().fetch(FetchDescriptor<Label>()).map(\.name) == ["a"])
  }

  @Test("undo omits an object that another context deleted meanwhile", arguments: Engine.allCases)
  func deletedElsewhere(_ engine: Engine) throws {
    let (store, context, manager, artist) = try TestStore.undoable(engine)
    let studio = Studio("North")
    context.insert(studio)
    artist.studio = studio
    try context.save()
    artist.studio = nil
    try context.save()
    let there = store.context()
    there.delete(try there.only(Studio.self))
    try there.save()
    _ = try context.fetch(FetchDescriptor<Studio>())
    _ = studio.name
    context.delete(artist)
    manager.undo()
    #expect(artist.modelContext === context)
    try context.save()
    #expect(try store.context().artist().studio == nil)
  }
}

@Model
final class Label {
  @Attribute(.unique) var name: String
  var number: Int

  init(_ name: String, _ number: Int) {
    self.name = name
    self.number = number
  }
}
