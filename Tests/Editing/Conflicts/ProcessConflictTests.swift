import ConformanceSupport
import SwiftData
import Testing

@Suite("Conflicts with another process")
struct ProcessConflictTests {
  @Test("changes of another process are merged", arguments: [false, true])
  func merge(isReopened: Bool) throws {
    let store = try TestStore.oneArtist(.file)
    // The first transaction of a process can only compare with the state at the opening of the store.
    if isReopened { try store.reopen() }
    let here = store.context()
    let mine = try here.artist()
    mine.score = 3
    try store.changeElsewhere("UPDATE Artist SET age = 31")
    try here.save()
    #expect((mine.age, mine.score) == (31, 3))
    let stored = try store.context().artist()
    #expect((stored.age, stored.score) == (31, 3))
  }

  @Test("conflicting changes of another process are detected", arguments: [false, true])
  func both(isReopened: Bool) throws {
    let store = try TestStore.oneArtist(.file)
    if isReopened { try store.reopen() }
    let here = store.context()
    here.conflictPolicy = .throwError
    let mine = try here.artist()
    try store.changeElsewhere("UPDATE Artist SET age = 31")
    mine.age = 32
    let error = #expect(throws: SwiftDataError.self) { try here.save() }
    #expect(error == .conflictingChanges)
    try store.changeElsewhere("DELETE FROM Artist")
    here.conflictPolicy = .mergeByProperty(keeping: .theirs)
    try here.save()
    #expect(mine.isDeleted)
  }

  @Test("a changed row that another process deleted stays deleted in a merging save, which reports one conflict")
  func deletion() throws {
    let store = try TestStore.oneArtist(.file)
    let here = store.context()
    let mine = try here.artist()
    mine.age = 32
    try store.changeElsewhere("DELETE FROM Artist")
    try here.save()
    #expect(mine.isDeleted && mine.modelContext == nil && !here.hasChanges)
    #expect(here.resolvedConflicts.map(\.kind) == [.deletedElsewhere])
    here.insert(Artist("Bo"))
    try here.save()
    #expect(here.resolvedConflicts.isEmpty)
    #expect(try store.context().fetch(FetchDescriptor<Artist>()).map(\.name) == ["Bo"])
  }

  @Test("a context without concurrent writers compares nothing")
  func alone() throws {
    let store = try TestStore.oneArtist(.file)
    try store.reopen()
    let here = store.context()
    let mine = try here.artist()
    mine.age = 31
    try here.save()
    // The context compares its rows only after SQLite's change counters show a commit of another process.
    #expect(here.resolvedConflicts.isEmpty)
    try store.changeElsewhere("UPDATE Artist SET age = 40")
    mine.age = 32
    try here.save()
    #expect(here.resolvedConflicts.map(\.theirs) == ["40"])
  }
}
