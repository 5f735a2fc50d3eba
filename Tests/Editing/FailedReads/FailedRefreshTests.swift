import ConformanceSupport
import SwiftData
import Testing

@Suite("Rows that cannot be refreshed")
struct FailedRefreshTests {
  @Test("a rollback discards unsaved values even if the saved values cannot be read", arguments: Engine.allCases)
  func rollback(_ engine: Engine) throws {
    let store = try TestStore.disturbed(engine)
    let context = store.context()
    let artist = try context.artist()
    artist.age = 50
    artist.tags = []
    artist.address = nil
    artist.studio = nil
    try store.hide("Artist")
    context.rollback()
    #expect(artist.age != 50)
    artist.age += 1
    #expect(throws: SwiftDataError.storeFailure) { try context.save() }
    try store.show("Artist")
    #expect(artist.age == 41 && artist.tags == ["a"] && artist.address?.city == "Oslo")
    #expect(artist.studio?.name == "North" && artist.works.count == 1)
    artist.age += 1
    try context.save()
    let stored = try store.storedArtist().model
    #expect(stored.age == 42 && stored.tags == ["a"])
  }

  @Test("a rolled-back transaction keeps the unsaved changes that were made before it", arguments: Engine.allCases)
  func transaction(_ engine: Engine) throws {
    let store = try TestStore.disturbed(engine)
    let context = store.context()
    let artist = try context.artist()
    artist.age = 45
    #expect(throws: Failure.self) {
      try context.transaction {
        artist.age = 50
        artist.name = "Eve"
        try context.save()
        throw Failure()
      }
    }
    #expect(artist.age == 45 && artist.name == "Ada")
    try context.save()
    #expect(try store.storedArtist().model.age == 45)
  }

  @Test("a transaction whose connection is lost keeps the unsaved changes that were made before it")
  func lostTransaction() throws {
    let store = try TestStore.disturbed(.remote)
    let context = store.context()
    let artist = try context.artist()
    artist.age = 45
    #expect(throws: Failure.self) {
      try context.transaction {
        artist.age = 50
        artist.name = "Eve"
        try context.save()
        store.link.isDown = true
        throw Failure()
      }
    }
    #expect(artist.age == 45)
    store.link.isDown = false
    #expect(artist.age == 45 && artist.name == "Ada")
    try context.save()
    let stored = try store.storedArtist().model
    #expect(stored.age == 45 && stored.name == "Ada" && stored.tags == ["a"])
  }

  @Test("after a lost connection, a value that an observer computed from a placeholder is not saved")
  func observer() throws {
    let store = try TestStore.disturbed(.remote)
    let first = store.context()
    first.insert(Work("Second", artist: Artist("Bob", age: 30)))
    try first.save()
    let context = store.context()
    let artist = try context.artist()
    let works = try context.fetch(FetchDescriptor<Work>(sortBy: [SortDescriptor(\.title)]))
    // The context knows only the key of Bob's row, because it has read the row of Bob's work.
    let bob = try #require(works.last?.artist)
    artist.age = 45
    nonisolated(unsafe) let unreadable = bob
    withObservationTracking {
      _ = artist.age
    } onChange: {
      unreadable.age += 1
    }
    #expect(throws: Failure.self) {
      try context.transaction {
        store.link.isDown = true
        throw Failure()
      }
    }
    store.link.isDown = false
    #expect(throws: SwiftDataError.storeUnreachable) { try context.save() }
    #expect(bob.age == 30 && artist.age == 45)
    try context.save()
    let stored = store.context()
    #expect(try stored.artist("Bob").age == 30 && stored.artist().age == 45)
  }

  @Test(
    "if the refresh of a row that another context saved fails, the next operation reads the row",
    arguments: Engine.allCases)
  func otherContext(_ engine: Engine) throws {
    let store = try TestStore.disturbed(engine)
    let (here, there) = (store.context(), store.context())
    let artist = try here.artist()
    try there.artist().age = 50
    try there.save()
    try store.hide("Artist")
    #expect(try here.fetchCount(FetchDescriptor<Studio>()) == 2)
    #expect(artist.age == 41 && !artist.isDeleted)
    try store.show("Artist")
    #expect(try here.fetchCount(FetchDescriptor<Studio>()) == 2)
    #expect(artist.age == 50)
  }

  @Test(
    "a look-up of a row that cannot be read throws or returns an object that is not deleted",
    arguments: Engine.allCases)
  func lookUps(_ engine: Engine) throws {
    let store = try TestStore.disturbed(engine)
    let identifier = try store.context().artist().persistentModelID
    let context = store.context()
    try store.hide("Artist")
    #expect(throws: SwiftDataError.storeFailure) { let _: Artist = try context.existingModel(for: identifier) }
    let artist = try #require(context[identifier, as: Artist.self])
    #expect(!artist.isDeleted)
    #expect(context.model(for: identifier) === artist)
    artist.age += 1
    #expect(throws: SwiftDataError.storeFailure) { try context.save() }
    try store.show("Artist")
    #expect(artist.age == 41 && artist.name == "Ada")
    #expect(try context.artist() === artist)
  }

  @Test("if a batch cannot be read, the rows are read on the next access", arguments: Engine.allCases)
  func batches(_ engine: Engine) throws {
    let store = try TestStore.disturbed(engine)
    let context = store.context()
    let results = try context.fetch(FetchDescriptor<Artist>(), batchSize: 1)
    try store.hide("Artist")
    #expect(results.map(\.isDeleted) == [false])
    #expect(results.map(\.name) != ["Ada"])
    try store.show("Artist")
    #expect(results.map(\.name) == ["Ada"])
  }

  @Test("an undo step never contains the placeholder of a value that could not be read", arguments: Engine.allCases)
  func undo(_ engine: Engine) throws {
    let (store, context, artist) = try TestStore.unreadable(engine)
    let manager = UndoManager()
    context.undoManager = manager
    artist.age = 9
    #expect(throws: SwiftDataError.storeFailure) { try context.save() }
    try store.show("Artist")
    artist.age = 9
    try context.save()
    manager.undo()
    #expect(artist.age == 41)
    try context.save()
    #expect(try store.storedArtist().model.age == 41)
  }

  @Test(
    "the save of a deletion throws if the deleted row cannot be read, because undo needs its values",
    arguments: Engine.allCases)
  func undoneDeletion(_ engine: Engine) throws {
    let (store, context, artist) = try TestStore.unreadable(engine)
    let manager = UndoManager()
    context.undoManager = manager
    context.delete(artist)
    #expect(throws: SwiftDataError.storeFailure) { try context.save() }
    try store.show("Artist")
    try context.save()
    #expect(try store.context().fetchCount(FetchDescriptor<Artist>()) == 0)
    manager.undo()
    try context.save()
    let (stored, _) = try store.storedArtist()
    #expect(stored.age == 41 && stored.tags == ["a"] && stored.studio?.name == "North" && stored.works.count == 1)
  }

  @Test("a row on a damaged page is read once the page is repaired")
  func damagedPage() throws {
    let store = try TestStore.disturbed(.file)
    let path = store.configuration.url.path
    let database = try RawDatabase(path)
    try database.run("PRAGMA wal_checkpoint(TRUNCATE)")
    let root = try #require(Int(try database.column("SELECT rootpage FROM sqlite_master WHERE name = 'Artist'")[0]))
    let size = try #require(Int(try database.column("PRAGMA page_size")[0]))
    try store.reopen()
    let context = store.context()
    let artist = try context.unreadArtist()
    let file = try FileHandle(forUpdating: URL(filePath: path))
    try file.seek(toOffset: UInt64((root - 1) * size))
    let page = try #require(try file.read(upToCount: size))
    func write(_ bytes: Data) throws {
      try file.seek(toOffset: UInt64((root - 1) * size))
      try file.write(contentsOf: bytes)
      try file.synchronize()
    }
    try write(Data(repeating: 0xFF, count: size))
    artist.age += 1
    #expect(throws: SwiftDataError.storeCorrupt) { try context.save() }
    try write(page)
    // A commit makes every connection discard its cached pages, but only if the commit changes at least one byte.
    try database.run("UPDATE Studio SET name = name || '.'")
    #expect(artist.age == 41)
    artist.age += 1
    try context.save()
    #expect(try store.storedArtist().model.age == 42)
  }

  @Test("a save to a closed store throws", arguments: Engine.allCases)
  func closedStore(_ engine: Engine) throws {
    let store = try TestStore.disturbed(engine)
    let context = store.context()
    let artist = try context.unreadArtist()
    for open in context.stores.stores { open.engine.close() }
    artist.age += 1
    let error = #expect(throws: SwiftDataError.storeUnreachable) { try context.save() }
    #expect(error?.explanation?.contains("age") == true)
  }

  @Test(
    "if one column of a row cannot be read, the properties of later columns have the row's values",
    arguments: Engine.allCases)
  func columnsBehind(_ engine: Engine) throws {
    let store = try TestStore.disturbed(engine)
    let context = store.context()
    let artist = try context.artist()
    #expect(artist.address?.zip == 1 && artist.tags == ["a"] && artist.portrait == nil)
    try store.runAside(
      "UPDATE \"Artist\" SET name = 'Eve', address_zip = NULL, tags = '[\"b\"]', portrait = \(engine.bytes("0102"))")
    #expect(try context.fetch(FetchDescriptor<Artist>()).count == 1)
    #expect(artist.address == nil && context.unreadValues.map(\.propertyName) == ["address"])
    #expect(artist.name == "Eve" && artist.tags == ["b"] && artist.portrait == Data([1, 2]))
    #expect(!context.hasChanges)
  }

  @Test(
    "every property whose column cannot be read is empty, and the other properties have the row's values",
    arguments: Engine.allCases)
  func severalColumns(_ engine: Engine) throws {
    let store = try TestStore.disturbed(engine)
    let context = store.context()
    let artist = try context.artist()
    #expect(artist.tags == ["a"])
    try store.runAside(
      "UPDATE \"Artist\" SET age = 50, address_zip = NULL, tags = '\(engine.garbage)', portrait = \(engine.bytes("01"))"
    )
    #expect(try context.fetch(FetchDescriptor<Artist>()).count == 1)
    #expect(artist.address == nil && artist.tags.isEmpty)
    #expect(Set(context.unreadValues.compactMap(\.propertyName)) == ["address", "tags"])
    #expect(artist.age == 50 && artist.portrait == Data([1]))
  }

  @Test(
    "in a model without macro, the properties after an unreadable column have the row's values",
    arguments: Engine.allCases)
  func columnsByHand(_ engine: Engine) throws {
    let store = try TestStore(engine, [Jotting.self])
    let context = store.context()
    let jotting = Jotting("first", words: ["a"])
    context.insert(jotting)
    try context.save()
    try store.runAside("UPDATE \"Jotting\" SET words = '\(engine.garbage)', name = 'second'")
    #expect(try context.fetch(FetchDescriptor<Jotting>()).count == 1)
    #expect(jotting.words == ["a"] && jotting.name == "second", "its own storage cannot be emptied")
    #expect(context.unreadValues.map(\.propertyName) == ["words"])
    jotting.name = "third"
    #expect(throws: SwiftDataError.corruptValue) { try context.save() }
    try context.save()
  }
}
