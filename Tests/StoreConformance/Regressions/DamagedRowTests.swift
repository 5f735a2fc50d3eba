import SwiftData
import Testing

@Suite("Regressions: rows with values or keys that the library never writes")
struct DamagedRowTests {
  @Test("an invalid stored value for an enum with associated values leaves only that property unread")
  func unknownCase() throws {
    let store = try TestStore(.file, [Parcel.self])
    let writer = store.context()
    writer.insert(Parcel("name", content: .text("x")))
    try writer.save()
    try store.tamper(#"UPDATE Parcel SET content = '{"later":{}}'"#)
    let context = store.context()
    let parcel = try #require(try context.fetch(FetchDescriptor<Parcel>()).first)
    #expect(parcel.name == "name" && context.unreadValues.map(\.propertyName) == ["content"])
  }

  @Test(
    "a placeholder for a deleted row returns a value for an enum with associated values", arguments: Engine.allCases)
  func standIn(_ engine: Engine) throws {
    let store = try TestStore(engine, [Parcel.self])
    let writer = store.context()
    let parcel = Parcel("name", content: .text("x"))
    writer.insert(parcel)
    try writer.save()
    let identifier = parcel.persistentModelID
    writer.delete(parcel)
    try writer.save()
    let reader = store.context()
    let standIn = try #require(reader.model(for: identifier) as? Parcel)
    #expect(standIn.isDeleted)
    #expect(standIn.name == "")
    #expect(standIn.content == .text(""))
  }

  @Test("if a fetch reads a damaged value, only that property of the object becomes empty")
  func refresh() throws {
    let store = try TestStore(.file, letterModels)
    let context = store.context()
    let letter = Letter("a")
    letter.tags = ["keep"]
    context.insert(letter)
    try context.save()
    try store.tamper("UPDATE Letter SET tags = 'garbage'")
    #expect(try context.fetch(FetchDescriptor<Letter>()).count == 1)
    #expect(letter.tags.isEmpty && context.unreadValues.map(\.propertyName) == ["tags"])
    #expect(letter.text == "a")
    #expect(!context.hasChanges)
  }

  @Test("a fetch omits a row with the key 0, but not a row with a negative key")
  func keys() throws {
    let store = try TestStore(.file, letterModels)
    try store.tamper("INSERT INTO Stamp VALUES (-5, 'negative')")
    let context = store.context()
    let stamp = try #require(try context.fetch(FetchDescriptor<Stamp>()).first)
    stamp.text = "changed"
    try context.save()
    #expect(try store.context().fetch(FetchDescriptor<Stamp>()).map(\.text) == ["changed"])
    try store.tamper("INSERT INTO Stamp VALUES (0, 'zero')")
    let other = store.context()
    #expect(try other.fetch(FetchDescriptor<Stamp>()).map(\.text) == ["changed"])
    #expect(other.unreadValues.first?.error == .corruptValue)
  }

  @Test("if a row has the greatest possible key, saving a new model throws, and nothing is saved")
  func lastKey() throws {
    let store = try TestStore(.file, letterModels)
    try store.tamper("INSERT INTO Stamp VALUES (9223372036854775807, 'last')")
    let context = store.context()
    context.insert(Stamp("one too many"))
    #expect(throws: SwiftDataError.storeFull) { try context.save() }
    #expect(context.hasChanges)
    #expect(try store.context().fetch(FetchDescriptor<Stamp>()).map(\.text) == ["last"])
  }

  @Test("each row has one object, including rows with large keys")
  func largeKeys() throws {
    let store = try TestStore(.file, letterModels)
    // The identity map indexes keys below a limit in a directory, which grows in steps. These keys are on both sides of
    // the limit and of steps.
    for (key, text) in [(1, "a"), (51_200_256, "b"), (64_000_000, "c"), (67_108_863, "d"), (67_108_864, "e")] {
      try store.tamper("INSERT INTO Stamp VALUES (\(key), '\(text)')")
    }
    let context = store.context()
    let descriptor = FetchDescriptor<Stamp>(sortBy: [SortDescriptor(\.text)])
    let first = try context.fetch(descriptor)
    let second = try context.fetch(descriptor)
    #expect(first.map(\.text) == ["a", "b", "c", "d", "e"])
    #expect(zip(first, second).allSatisfy { $0 === $1 })
  }
}
