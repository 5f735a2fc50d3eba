import ConformanceSupport
import SwiftData
import Testing

@Suite("Conflicts with another process")
struct ProcessConflictTests {
  @Test("a save merges its changes with changes of another process", arguments: [false, true])
  func merge(isReopened: Bool) throws {
    let store = try TestStore.oneArtist(.file)
    // After the reopening, no transaction has run yet, so the save can only compare with the file's state at the
    // opening.
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

  @Test("a save detects that another process changed or deleted the same row", arguments: [false, true])
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

  @Test("if another process deleted a changed row, a merging save leaves it deleted and reports one conflict")
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

  @Test("a context compares no rows as long as no other process commits")
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
