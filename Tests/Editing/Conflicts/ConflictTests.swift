import ConformanceSupport
import SwiftData
import Testing

@Suite("A row that another context changed after this context read it")
struct ConflictTests {
  @Test("changes of different properties are merged, in the store and in memory", arguments: Engine.allCases)
  func merge(_ engine: Engine) throws {
    let (store, here, there, mine, theirs) = try TestStore.readTwice(engine)
    theirs.age = 31
    theirs.tags = ["new"]
    try there.save()
    mine.score = 2
    mine.address = Address(city: "Oslo", zip: 1)
    try here.save()
    for artist in [mine, try store.context().artist()] {
      #expect(artist.age == 31)
      #expect(artist.tags == ["new"])
      #expect(artist.score == 2)
      #expect(artist.address == Address(city: "Oslo", zip: 1))
    }
    #expect(here.resolvedConflicts.isEmpty)
    #expect(!here.hasChanges)
  }

  @Test(
    "of two changes of one property, the local one is kept, and the save reports it", arguments: Engine.allCases)
  func ours(_ engine: Engine) throws {
    let (store, here, there, mine, theirs) = try TestStore.readTwice(engine)
    theirs.age = 31
    try there.save()
    mine.age = 32
    try here.save()
    #expect(try store.context().artist().age == 32)
    let conflict = try #require(here.resolvedConflicts.first)
    #expect(here.resolvedConflicts.count == 1)
    #expect(conflict.kind == .changedTwice)
    #expect(conflict.propertyName == "age")
    #expect(conflict.persistentModelID == mine.persistentModelID)
    #expect([conflict.read, conflict.ours, conflict.theirs] == ["30", "32", "31"])
    mine.score = 5
    try here.save()
    #expect(here.resolvedConflicts.isEmpty)
  }

  @Test("of two changes of one property, the remote one is kept if the policy prefers it", arguments: Engine.allCases)
  func theirs(_ engine: Engine) throws {
    let (store, here, there, mine, theirs) = try TestStore.readTwice(engine)
    here.conflictPolicy = .mergeByProperty(keeping: .theirs)
    theirs.age = 31
    theirs.name = "Bo"
    try there.save()
    mine.age = 32
    mine.score = 4
    let flag = changeFlag { _ = mine.age }
    try here.save()
    #expect(flag.isRaised)
    #expect(mine.age == 31)
    #expect(mine.name == "Bo")
    #expect(!mine.hasChanges && !here.hasChanges)
    let stored = try store.context().artist("Bo")
    #expect((stored.age, stored.score) == (31, 4))
    #expect(here.resolvedConflicts.map(\.propertyName) == ["age"])
  }

  @Test("under the throwing policy, a save throws one error with all conflicts", arguments: Engine.allCases)
  func throwing(_ engine: Engine) throws {
    let (store, here, there, mine, theirs) = try TestStore.readTwice(engine)
    here.conflictPolicy = .throwError
    theirs.age = 31
    theirs.name = "Bo"
    try there.save()
    mine.age = 32
    mine.name = "Cy"
    mine.score = 4
    let error = #expect(throws: SwiftDataError.self) { try here.save() }
    #expect(error == .conflictingChanges)
    let text = try #require(error?.explanation)
    for part in ["Artist p1.age", "30", "31", "32", "Artist p1.name", "\"Bo\"", "\"Cy\"", "\"Ada\""] {
      #expect(text.contains(part), "\(text) lacks \(part)")
    }
    let stored = try store.context().artist("Bo")
    #expect((stored.age, stored.score) == (31, 0))
    #expect((mine.age, mine.name) == (32, "Cy"))
    #expect(here.hasChanges)
    here.rollback()
    #expect((mine.age, mine.name, mine.score) == (31, "Bo", 0))
    mine.age = 33
    try here.save()
    #expect(try store.context().artist("Bo").age == 33)
  }

  @Test("a policy can be changed after the save that threw", arguments: Engine.allCases)
  func change(_ engine: Engine) throws {
    let (store, here, there, mine, theirs) = try TestStore.readTwice(engine)
    here.conflictPolicy = .throwError
    theirs.age = 31
    try there.save()
    mine.age = 32
    #expect(throws: SwiftDataError.conflictingChanges) { try here.save() }
    here.conflictPolicy = .mergeByProperty(keeping: .ours)
    try here.save()
    #expect(try store.context().artist().age == 32)
  }

  @Test("changes of different properties, or to the same value, are not a conflict", arguments: Engine.allCases)
  func noConflict(_ engine: Engine) throws {
    let (store, here, there, mine, theirs) = try TestStore.readTwice(engine)
    here.conflictPolicy = .throwError
    theirs.age = 31
    theirs.score = 1
    try there.save()
    mine.age = 31
    mine.name = "Bo"
    try here.save()
    let stored = try store.context().artist("Bo")
    #expect((stored.age, stored.score, stored.name) == (31, 1, "Bo"))
    #expect(mine.score == 1)
  }

  @Test("a change of a value that was read after the other save is not a conflict", arguments: Engine.allCases)
  func readAgain(_ engine: Engine) throws {
    let (store, here, there, mine, theirs) = try TestStore.readTwice(engine)
    here.conflictPolicy = .throwError
    theirs.age = 31
    try there.save()
    _ = try here.artist()
    mine.age = 32
    try here.save()
    theirs.age = 33
    #expect(throws: Never.self) { try there.save() }
    #expect(there.resolvedConflicts.map(\.propertyName) == ["age"])
    #expect(try store.context().artist().age == 33)
  }

  @Test("an edit before the other context's save conflicts, even after another fetch", arguments: Engine.allCases)
  func pending(_ engine: Engine) throws {
    let (store, here, there, mine, theirs) = try TestStore.readTwice(engine)
    here.conflictPolicy = .throwError
    mine.age = 32
    theirs.age = 31
    try there.save()
    _ = try here.artist()
    #expect(mine.age == 32)
    #expect(throws: SwiftDataError.conflictingChanges) { try here.save() }
    #expect(try store.context().artist().age == 31)
  }

  @Test("saves of one context do not conflict with each other", arguments: Engine.allCases)
  func own(_ engine: Engine) throws {
    let (store, here, there, mine, theirs) = try TestStore.readTwice(engine)
    here.conflictPolicy = .throwError
    for age in 40..<45 {
      mine.age = age
      try here.save()
    }
    theirs.score = 1
    try there.save()
    for age in 45..<50 {
      mine.age = age
      try here.save()
    }
    #expect((mine.age, mine.score) == (49, 1))
    #expect(try store.context().artist().age == 49)
  }

  @Test("every kind of property is compared", arguments: Engine.allCases)
  func kinds(_ engine: Engine) throws {
    let (store, here, there, mine, theirs) = try TestStore.readTwice(engine)
    here.conflictPolicy = .throwError
    theirs.name = "Bo"
    theirs.score = .nan
    theirs.address = Address(city: "Oslo", zip: 1)
    theirs.tags = ["a"]
    theirs.portrait = Data(repeating: 1, count: 200_000)
    let studio = Studio("North")
    there.insert(studio)
    theirs.studio = studio
    try there.save()
    mine.name = "Cy"
    mine.score = 1
    mine.address = Address(city: "Bergen", zip: 2)
    mine.tags.append("b")
    _ = mine.portrait
    mine.portrait = Data(repeating: 2, count: 200_000)
    mine.studio = nil
    let other = Studio("South")
    here.insert(other)
    mine.studio = other
    let error = #expect(throws: SwiftDataError.self) { try here.save() }
    for property in ["name", "score", "address", "tags", "portrait", "studio"] {
      #expect(error?.explanation?.contains("Artist p1.\(property)") == true, "\(property)")
    }
    #expect(try store.context().artist("Bo").tags == ["a"])
  }
}
