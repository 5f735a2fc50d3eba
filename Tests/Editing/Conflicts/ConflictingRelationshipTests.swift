import ConformanceSupport
import SwiftData
import Testing

@Suite("Relationships that two contexts change")
struct ConflictingRelationshipTests {
  /// Creates a store with one artist in a studio, two other studios and two groups.
  private func scene(_ engine: Engine) throws -> TestStore {
    let store = try TestStore.studios(engine)
    let context = store.context()
    context.insert(Artist("Ada", studio: Studio("North")))
    for name in ["South", "East"] { context.insert(Studio(name)) }
    for name in ["Red", "Blue"] { context.insert(Group(name)) }
    try context.save()
    return store
  }

  private func studio(_ name: String, _ context: ModelContext) throws -> Studio {
    try #require(try context.fetch(FetchDescriptor<Studio>(predicate: #Predicate { $0.name == name })).first)
  }

  @Test(
    "if both contexts change a to-one relationship, the conflict policy decides which change is kept",
    arguments: Engine.allCases)
  func toOne(_ engine: Engine) throws {
    for side in [ModelContext.ConflictPolicy.Side.ours, .theirs] {
      let store = try scene(engine)
      let (here, there) = (store.context(), store.context())
      here.conflictPolicy = .mergeByProperty(keeping: side)
      let (mine, theirs) = (try here.artist(), try there.artist())
      #expect(mine.studio?.name == "North")
      // The studio is fetched before the other context saves, because a later fetch would apply the saved changes.
      let east = try studio("East", here)
      theirs.studio = try studio("South", there)
      try there.save()
      mine.studio = east
      try here.save()
      let expected = side == .ours ? "East" : "South"
      #expect(mine.studio?.name == expected)
      #expect(try store.context().artist().studio?.name == expected)
      for name in ["North", "South", "East"] {
        let artists = try studio(name, here).artists
        #expect(artists.map(\.name) == (name == expected ? ["Ada"] : []), "\(name) \(side)")
      }
      #expect(here.resolvedConflicts.map(\.propertyName) == ["studio"])
      #expect(here.resolvedConflicts.first?.theirs == "Studio 2")
    }
  }

  @Test("if both contexts append to a list, the save keeps the objects that both appended", arguments: Engine.allCases)
  func lists(_ engine: Engine) throws {
    let store = try scene(engine)
    let (here, there) = (store.context(), store.context())
    here.conflictPolicy = .throwError
    let (mine, theirs) = (try here.artist(), try there.artist())
    #expect(mine.groups.isEmpty && mine.works.isEmpty)
    let blue = try #require(try here.fetch(FetchDescriptor<Group>(predicate: #Predicate { $0.name == "Blue" })).first)
    theirs.works.append(Work("Theirs"))
    theirs.groups = try there.fetch(FetchDescriptor<Group>(predicate: #Predicate { $0.name == "Red" }))
    try there.save()
    mine.works.append(Work("Ours"))
    mine.groups = [blue]
    try here.save()
    for context in [here, store.context()] {
      let artist = try context.artist()
      #expect(Set(artist.works.map(\.title)) == ["Theirs", "Ours"])
      #expect(Set(artist.groups.map(\.name)) == ["Red", "Blue"])
    }
  }
}
