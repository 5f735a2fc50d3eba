import SwiftData
import Testing

@Suite("Regressions: faults (objects whose row has not been read yet)")
struct FaultTests {
  private let models: [any PersistentModel.Type] = [Broad.self, BroadOwner.self]

  private func makeStore(_ engine: Engine) throws -> TestStore {
    let store = try TestStore(engine, models)
    let context = store.context()
    let broad = Broad()
    broad.p64 = "precious"
    broad.p70 = "seventy"
    context.insert(BroadOwner(broad))
    try context.save()
    return store
  }

  @Test(
    "the first change of an unread object with more than 64 properties keeps the values of its other properties",
    arguments: Engine.allCases)
  func wide(_ engine: Engine) throws {
    let store = try makeStore(engine)
    let context = store.context()
    let owner = try #require(try context.fetch(FetchDescriptor<BroadOwner>()).first)
    let broad = try #require(owner.broad)
    broad.p65 = "edit"
    #expect(broad.p64 == "precious")
    #expect(broad.p70 == "seventy")
    try context.save()
    let third = store.context()
    let stored = try #require(try third.fetch(FetchDescriptor<Broad>()).first)
    #expect([stored.p0, stored.p64, stored.p65, stored.p70] == ["d0", "precious", "edit", "seventy"])
  }

  @Test("a change of an unread object with more than 64 properties is saved", arguments: Engine.allCases)
  func wideUnread(_ engine: Engine) throws {
    let store = try makeStore(engine)
    let context = store.context()
    let owner = try #require(try context.fetch(FetchDescriptor<BroadOwner>()).first)
    owner.broad?.p66 = "edit"
    try context.save()
    let third = store.context()
    let stored = try #require(try third.fetch(FetchDescriptor<Broad>()).first)
    #expect([stored.p64, stored.p66, stored.p70] == ["precious", "edit", "seventy"])
  }

  @Test("if a row refers to itself, the related object is the object itself", arguments: Engine.allCases)
  func selfReference(_ engine: Engine) throws {
    let store = try TestStore(engine, [Teacher.self, Pupil.self])
    let writer = store.context()
    let pupil = Pupil("name")
    writer.insert(pupil)
    pupil.friend = pupil
    try writer.save()
    let reader = store.context()
    let found = try #require(try reader.fetch(FetchDescriptor<Pupil>()).first)
    #expect(found.friend === found)
    found.name = "changed"
    #expect(found.friend?.name == "changed")
    // Breaks the reference cycles, so that the objects are released.
    found.friend = nil
    pupil.friend = nil
  }
}
