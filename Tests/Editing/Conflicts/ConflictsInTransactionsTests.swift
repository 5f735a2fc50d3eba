import ConformanceSupport
import SwiftData
import Testing

@Suite("Conflicts in transactions")
struct ConflictsInTransactionsTests {
  @Test("saves of one transaction do not conflict with each other", arguments: Engine.allCases)
  func own(_ engine: Engine) throws {
    let (store, here, there, mine, theirs) = try TestStore.readTwice(engine)
    here.conflictPolicy = .throwError
    theirs.score = 1
    try there.save()
    try here.transaction {
      mine.age = 1
      try here.save()
      try here.transaction {
        mine.age = 2
        try here.save()
      }
      mine.age = 3
    }
    let stored = try store.context().artist()
    #expect((stored.age, stored.score) == (3, 1))
  }

  @Test(
    "a transaction that throws keeps pending changes with the values that they were based on",
    arguments: Engine.allCases)
  func undone(_ engine: Engine) throws {
    let (store, here, there, mine, theirs) = try TestStore.readTwice(engine)
    here.conflictPolicy = .throwError
    mine.age = 32
    theirs.age = 31
    try there.save()
    #expect(throws: Failure.self) {
      try here.transaction {
        mine.score = 4
        throw Failure()
      }
    }
    #expect(mine.age == 32)
    let error = #expect(throws: SwiftDataError.self) { try here.save() }
    #expect(error == .conflictingChanges)
    #expect(error?.explanation?.contains("was 30 when it was read") == true)
    #expect(try store.context().artist().age == 31)
  }

  @Test("a transaction with a conflict is rolled back completely", arguments: Engine.allCases)
  func conflict(_ engine: Engine) throws {
    let (store, here, there, mine, theirs) = try TestStore.readTwice(engine)
    here.conflictPolicy = .throwError
    theirs.age = 31
    try there.save()
    #expect(throws: SwiftDataError.conflictingChanges) {
      try here.transaction {
        here.insert(Artist("Bo"))
        try here.save()
        mine.age = 32
      }
    }
    #expect(try store.context().fetchCount(FetchDescriptor<Artist>()) == 1)
    #expect(!here.hasChanges)
  }
}
