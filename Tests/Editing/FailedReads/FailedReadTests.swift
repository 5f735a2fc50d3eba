import ConformanceSupport
import SwiftData
import Testing

@Model
class Crate {
  var tags: [String]

  init(tags: [String]) { self.tags = tags }
}

@Model
final class LabelledCrate: Crate {
  var label: String?

  init(tags: [String], label: String?) {
    self.label = label
    super.init(tags: tags)
  }
}

@Suite("A property that could not be read")
struct FailedReadTests {
  /// Checks that the age can be read again, and that a score computed from the age is saved.
  private func expectScore(
    of artist: Artist, in context: ModelContext, of store: TestStore, at location: SourceLocation = #_sourceLocation
  ) throws {
    #expect(artist.age == 41, sourceLocation: location)
    artist.score = Double(artist.age * 2)
    try context.save()
    #expect(try store.storedArtist().model.score == 82, sourceLocation: location)
  }

  @Test(
    "an in-place change of the unread property is not saved, and the save reports why the read failed",
    arguments: Engine.allCases)
  func changeInPlace(_ engine: Engine) throws {
    let (store, context, artist) = try TestStore.unreadable(engine)
    artist.age += 1
    let error = #expect(throws: SwiftDataError.self) { try context.save() }
    #expect(error?.explanation?.contains("Artist p1.age") == true)
    let cause = error?.underlyingError.map { "\($0)" }
    #expect(cause?.contains(engine.has(.sqlite) ? "no such table" : "does not exist") == true)
    try store.show("Artist")
    #expect(artist.age == 41)
    artist.age += 1
    try context.save()
    #expect(try store.storedArtist().model.age == 42)
  }

  @Test("after a lost connection, an in-place change is not saved, and the save reports that the store is unreachable")
  func lostConnection() throws {
    let store = try TestStore.disturbed(.remote)
    let context = store.context()
    let artist = try context.unreadArtist()
    store.link.isDown = true
    artist.age += 1
    let error = #expect(throws: SwiftDataError.storeUnreachable) { try context.save() }
    #expect(error?.explanation?.contains("Artist p1.age") == true)
    store.link.isDown = false
    #expect(artist.age == 41)
    artist.age += 1
    try context.save()
    #expect(try store.storedArtist().model.age == 42)
  }

  @Test("a value that the program computed from the property's placeholder is not saved", arguments: Engine.allCases)
  func changeByCalculation(_ engine: Engine) throws {
    let (store, context, artist) = try TestStore.unreadable(engine)
    artist.age = artist.age + 1
    artist.name = "\(artist.name)!"
    #expect(context.hasChanges)
    #expect(throws: SwiftDataError.storeFailure) { try context.save() }
    try store.show("Artist")
    #expect(artist.age == 41 && artist.name == "Ada")
    artist.age = artist.age + 1
    try context.save()
    #expect(try store.storedArtist().model.age == 42)
  }

  @Test(
    "the program may set the property without reading it; the change is saved once the store is available",
    arguments: Engine.allCases)
  func assignment(_ engine: Engine) throws {
    let (store, context, artist) = try TestStore.unreadable(engine)
    artist.age = 5
    #expect(throws: SwiftDataError.storeFailure) { try context.save() }
    try store.show("Artist")
    try context.save()
    let stored = try store.storedArtist().model
    #expect(stored.age == 5 && stored.name == "Ada")
  }

  @Test(
    "after a failed read, changes of other properties are not saved, because they may depend on the placeholder",
    arguments: Engine.allCases)
  func otherProperty(_ engine: Engine) throws {
    let (store, context, artist) = try TestStore.unreadable(engine)
    let total = artist.age * 2
    artist.score = Double(total)
    for _ in 0..<2 {
      let error = #expect(throws: SwiftDataError.self) { try context.save() }
      #expect(error?.explanation?.contains("age could not be read") == true)
    }
    try store.show("Artist")
    try expectScore(of: artist, in: context, of: store)
  }

  @Test("the save throws after a failed read even if the store is available again", arguments: Engine.allCases)
  func shortDisturbance(_ engine: Engine) throws {
    let (store, context, artist) = try TestStore.unreadable(engine)
    artist.score = Double(artist.age)
    try store.show("Artist")
    #expect(throws: SwiftDataError.storeFailure) { try context.save() }
    context.rollback()
    #expect(artist.score == 0)
    artist.score = Double(artist.age)
    try context.save()
    #expect(try store.storedArtist().model.score == 41)
  }

  @Test("the failure of several reads is logged once, with its cause")
  func log() throws {
    let recorder = LogRecorder()
    try recorder.listen {
      let (store, context, artist) = try TestStore.unreadable(.file)
      recorder.clear()
      for _ in 0..<10 { _ = (artist.age, artist.name, artist.tags) }
      let lines = recorder.all.filter { $0.message.contains("failed") }
      #expect(lines.count == 1)
      #expect(lines.first?.message.contains("no such table") == true)
      try store.show("Artist")
      #expect(artist.age == 41)
      withExtendedLifetime(context) {}
    }
  }

  @Test("a transaction in which a read fails throws and saves nothing", arguments: Engine.allCases)
  func transaction(_ engine: Engine) throws {
    let (store, context, artist) = try TestStore.unreadable(engine)
    #expect(throws: SwiftDataError.storeFailure) {
      try context.transaction {
        artist.age += 1
        context.insert(Studio("West"))
      }
    }
    try store.show("Artist")
    #expect(artist.age == 41 && !context.hasChanges)
    #expect(try store.context().fetchCount(FetchDescriptor<Studio>()) == 2)
    try context.transaction { artist.age += 1 }
    #expect(try store.storedArtist().model.age == 42)
  }

  @Test("after a failed read and a rolled-back transaction, the next save still throws", arguments: Engine.allCases)
  func beforeTransaction(_ engine: Engine) throws {
    let (store, context, artist) = try TestStore.unreadable(engine)
    let total = artist.age * 2
    artist.score = Double(total)
    try store.show("Artist")
    #expect(throws: Failure.self) { try context.transaction { throw Failure() } }
    #expect(artist.hasChanges)
    let error = #expect(throws: SwiftDataError.self) { try context.save() }
    #expect(error?.explanation?.contains("age could not be read") == true)
    try expectScore(of: artist, in: context, of: store)
  }

  @Test(
    "a transaction that changes another property throws because of the earlier failed read, and only once",
    arguments: Engine.allCases)
  func heardByTransaction(_ engine: Engine) throws {
    let (store, context, artist) = try TestStore.unreadable(engine)
    let total = artist.age * 2
    artist.score = Double(total)
    try store.show("Artist")
    #expect(throws: SwiftDataError.storeFailure) { try context.transaction { artist.name = "Eve" } }
    try context.transaction { artist.score = Double(artist.age * 2) }
    let stored = try store.context().artist()
    #expect(stored.score == 82 && stored.age == 41)
  }

  @Test(
    "an in-place change is not saved if the property has several columns or is stored as JSON",
    arguments: Engine.allCases)
  func composites(_ engine: Engine) throws {
    let (store, context, artist) = try TestStore.unreadable(engine)
    artist.tags.append("b")
    artist.address?.zip = 2
    #expect(throws: SwiftDataError.storeFailure) { try context.save() }
    try store.show("Artist")
    #expect(artist.tags == ["a"] && artist.address == Address(city: "Oslo", zip: 1))
    artist.tags.append("b")
    artist.address?.zip = 2
    try context.save()
    let stored = try store.storedArtist().model
    #expect(stored.tags == ["a", "b"] && stored.address == Address(city: "Oslo", zip: 2))
  }

  @Test("if one property cannot be decoded, the other properties can be read", arguments: Engine.allCases)
  func undecodable(_ engine: Engine) throws {
    let store = try TestStore.disturbed(engine)
    try store.runAside("UPDATE \"Artist\" SET tags = '\(engine.garbage)'")
    // This fetch makes the container detect the commit; otherwise the later save would compare rows.
    _ = try store.context().fetchCount(FetchDescriptor<Studio>())
    let context = store.context()
    let artist = try context.unreadArtist()
    #expect(artist.name == "Ada" && artist.age == 41 && artist.score == 0)
    artist.tags.append("b")
    artist.age += 1
    let error = #expect(throws: SwiftDataError.corruptValue) { try context.save() }
    #expect(error?.explanation?.contains("tags") == true)
    // The first save has reported the error, so the second save writes the program's other changes.
    try context.save()
    try store.runAside("UPDATE \"Artist\" SET tags = '[\"kept\"]'")
    let stored = try store.storedArtist().model
    #expect(stored.age == 42 && stored.tags == ["kept"])
    #expect(artist.tags == ["kept"])
  }

  @Test(
    "if a property of the base class cannot be decoded, the properties of the subclass can be read",
    arguments: Engine.allCases)
  func undecodableInherited(_ engine: Engine) throws {
    let store = try TestStore(engine, [Crate.self, LabelledCrate.self])
    let writer = store.context()
    let crate = LabelledCrate(tags: ["a"], label: "top")
    writer.insert(crate)
    try writer.save()
    try store.runAside("UPDATE \"Crate\" SET tags = '\(engine.garbage)'")
    let context = store.context()
    let found = try #require(context.model(for: crate.persistentModelID) as? LabelledCrate)
    #expect(found.label == "top")
    #expect(found.tags.isEmpty)
  }

  @Test(
    "a property whose column contains no number keeps its stored value in later saves",
    arguments: ["'many'", "x'6162'"])
  func noNumber(_ value: String) throws {
    let store = try TestStore.disturbed(.file)
    try store.runAside("UPDATE Artist SET age = \(value), score = \(value)")
    // This fetch makes the container detect the commit; otherwise the later save would compare rows.
    _ = try store.context().fetchCount(FetchDescriptor<Studio>())
    let context = store.context()
    let artist = try context.unreadArtist()
    #expect(artist.name == "Ada")
    artist.age += 1
    artist.name = "Eve"
    let error = #expect(throws: SwiftDataError.corruptValue) { try context.save() }
    #expect(error?.explanation?.contains("age") == true)
    // The first save has reported the error, so the second save writes the program's other changes.
    try context.save()
    let stored = try store.stored("SELECT name, age = \(value), score = \(value) FROM Artist")
    #expect(stored == ["Eve 1 1"])
  }

  @Test("a property of a row that was deleted has its placeholder value", arguments: Engine.allCases)
  func gone(_ engine: Engine) throws {
    let (store, context, artist) = try TestStore.unreadable(engine)
    #expect(artist.age == 0)
    try store.show("Artist")
    try store.runAside("DELETE FROM \"Artist\"")
    #expect(artist.age == 0 && artist.isDeleted)
    withExtendedLifetime(context) {}
  }
}
