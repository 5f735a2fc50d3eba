import ConformanceSupport
import SwiftData
import Testing

@Suite("A relationship that could not be read")
struct FailedRelationshipTests {
  @Test("an unread list is neither appended to nor replaced", arguments: Engine.allCases)
  func lists(_ engine: Engine) throws {
    let store = try TestStore.disturbed(engine)
    let context = store.context()
    let artist = try context.artist()
    try store.hide("Work")
    artist.works.append(Work("Second"))
    #expect(throws: SwiftDataError.storeFailure) { try context.save() }
    artist.works = [Work("Third")]
    #expect(throws: SwiftDataError.storeFailure) { try context.save() }
    try store.show("Work")
    #expect(artist.works.map(\.title) == ["First"])
    artist.works.append(Work("Second"))
    try context.save()
    let (stored, _) = try store.storedArtist()
    #expect(stored.works.map(\.title) == ["First", "Second"])
  }

  @Test("an unread list with a join table is not appended to", arguments: Engine.allCases)
  func pairs(_ engine: Engine) throws {
    let store = try TestStore.disturbed(engine)
    let writer = store.context()
    let writing = try writer.artist()
    for name in ["a", "b"] {
      let group = Group(name)
      writer.insert(group)
      writing.groups.append(group)
    }
    try writer.save()
    let context = store.context()
    let artist = try context.artist()
    try store.hide("Group")
    artist.groups.append(Group("c"))
    artist.groups.removeAll()
    #expect(throws: SwiftDataError.storeFailure) { try context.save() }
    try store.show("Group")
    #expect(artist.groups.map(\.name) == ["a", "b"])
    artist.groups.append(Group("c"))
    try context.save()
    let (stored, _) = try store.storedArtist()
    #expect(stored.groups.map(\.name) == ["a", "b", "c"])
  }

  @Test("an unread reference is not replaced, because its inverse could not be updated", arguments: Engine.allCases)
  func toOne(_ engine: Engine) throws {
    let store = try TestStore.disturbed(engine)
    let context = store.context()
    let artist = try context.unreadArtist()
    let south = try #require(
      try context.fetch(FetchDescriptor<Studio>(predicate: #Predicate { $0.name == "South" })).first)
    try store.hide("Artist")
    artist.studio = south
    #expect(throws: SwiftDataError.storeFailure) { try context.save() }
    try store.show("Artist")
    #expect(artist.studio?.name == "North")
    artist.studio = south
    try context.save()
    let (stored, _) = try store.storedArtist()
    #expect(stored.studio?.name == "South")
  }

  @Test("a change is not saved if the relationship at its other end could not be read", arguments: Engine.allCases)
  func otherEnd(_ engine: Engine) throws {
    let store = try TestStore.disturbed(engine)
    let context = store.context()
    let artist = try context.unreadArtist()
    let south = try #require(
      try context.fetch(FetchDescriptor<Studio>(predicate: #Predicate { $0.name == "South" })).first)
    #expect(south.artists.isEmpty)
    try store.hide("Artist")
    south.artists.append(artist)
    #expect(throws: SwiftDataError.storeFailure) { try context.save() }
    try store.show("Artist")
    context.rollback()
    #expect(artist.studio?.name == "North" && south.artists.isEmpty)
    south.artists.append(artist)
    try context.save()
    let (stored, _) = try store.storedArtist()
    #expect(stored.studio?.name == "South")
  }

  @Test(
    "a deletion that depends on the relationship is saved only after the relationship is read",
    arguments: Engine.allCases)
  func deletion(_ engine: Engine) throws {
    let store = try TestStore.disturbed(engine)
    let context = store.context()
    let artist = try context.artist()
    try store.hide("Work")
    context.delete(artist)
    let error = #expect(throws: SwiftDataError.self) { try context.save() }
    #expect(error?.explanation?.contains("works") == true)
    try store.show("Work")
    let work = try context.only(Work.self)
    try context.save()
    #expect(work.isDeleted)
    #expect(try store.context().fetchCount(FetchDescriptor<Work>()) == 0)
    #expect(try store.context().fetchCount(FetchDescriptor<Artist>()) == 0)
  }

  @Test(
    "a rolled-back transaction does not let a deletion be saved before its relationship is read",
    arguments: Engine.allCases)
  func deletionBeforeTransaction(_ engine: Engine) throws {
    let store = try TestStore.disturbed(engine)
    let context = store.context()
    let artist = try context.artist()
    try store.hide("Work")
    context.delete(artist)
    #expect(throws: Failure.self) { try context.transaction { throw Failure() } }
    #expect(context.deletedModelsArray.count == 1)
    let error = #expect(throws: SwiftDataError.self) { try context.save() }
    #expect(error?.explanation?.contains("works") == true)
    try store.show("Work")
    let work = try context.only(Work.self)
    try context.save()
    #expect(work.isDeleted && artist.isDeleted)
    #expect(try store.context().fetchCount(FetchDescriptor<Work>()) == 0)
  }

  @Test(
    "the relationship is read for a cascade even if only the save can determine the cascade",
    arguments: Engine.allCases)
  func deletionAfterDeletion(_ engine: Engine) throws {
    let store = try TestStore(engine, [Hall.self, Cabinet.self, Drawer.self])
    let writer = store.context()
    writer.insert(Hall(cabinets: [Cabinet(drawers: [Drawer()])]))
    try writer.save()
    let context = store.context()
    let hall = try context.only(Hall.self)
    try store.hide("Cabinet")
    try store.hide("Drawer")
    context.delete(hall)
    try store.show("Cabinet")
    let error = #expect(throws: SwiftDataError.self) { try context.save() }
    #expect(error?.explanation?.contains("drawers") == true)
    try store.show("Drawer")
    let drawer = try context.only(Drawer.self)
    try context.save()
    #expect(hall.isDeleted && drawer.isDeleted && !context.hasChanges)
    #expect(try store.context().fetchCount(FetchDescriptor<Drawer>()) == 0)
  }

  @Test(
    "a batch deletion throws without marking any row as deleted, and keeps earlier deletions",
    arguments: Engine.allCases)
  func deletionByPredicate(_ engine: Engine) throws {
    let store = try TestStore.disturbed(engine)
    func counts() throws -> [Int] {
      let fresh = store.context()
      return [
        try fresh.fetchCount(FetchDescriptor<Artist>()), try fresh.fetchCount(FetchDescriptor<Work>()),
        try fresh.fetchCount(FetchDescriptor<Studio>()),
      ]
    }
    let context = store.context()
    try store.hide("Work")
    #expect(throws: SwiftDataError.storeFailure) { try context.delete(model: Artist.self) }
    #expect(!context.hasChanges)
    try context.delete(model: Studio.self, where: #Predicate { $0.name == "South" })
    #expect(throws: SwiftDataError.storeFailure) { try context.delete(model: Artist.self) }
    try store.show("Work")
    try context.save()
    #expect(try counts() == [1, 1, 1])
    try context.delete(model: Artist.self)
    try context.save()
    #expect(try counts() == [0, 0, 1])
  }

  @Test("the list of a deleted object that is inserted again has all members", arguments: Engine.allCases)
  func deletionTakenBack(_ engine: Engine) throws {
    let (store, context, artist) = try TestStore.unreadable(engine)
    context.delete(artist)
    try store.show("Artist")
    context.insert(artist)
    #expect(artist.age == 41)
    artist.age += 1
    try context.save()
    let (stored, _) = try store.storedArtist()
    #expect(stored.age == 42 && stored.works.count == 1)
  }

  @Test("the relationship is read even if a value of one of its objects cannot be read", arguments: Engine.allCases)
  func groups(_ engine: Engine) throws {
    let store = try TestStore.disturbed(engine)
    let writer = store.context()
    let other = Artist("Bea")
    writer.insert(other)
    writer.insert(Work("Broken", artist: other))
    try writer.save()
    try store.runAside("UPDATE \"Work\" SET year = 99999 WHERE title = 'Broken'")
    let context = store.context()
    let artists = try context.fetch(FetchDescriptor<Artist>(sortBy: [SortDescriptor(\.name)]))
    #expect(artists[0].works.map(\.title) == ["First"])
    #expect(artists[1].works.map(\.title) == ["Broken"])
    #expect(context.unreadValues.map(\.propertyName) == ["year"])
    artists[1].works.append(Work("New"))
    try context.save()
    try store.runAside("UPDATE \"Work\" SET year = 1999 WHERE title = 'Broken'")
    #expect(artists[1].works.map(\.year) == [1999, 2000])
  }
}
