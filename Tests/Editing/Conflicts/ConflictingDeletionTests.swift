import ConformanceSupport
import SwiftData
import Testing

@Suite("Deletions and concurrent changes of another context")
struct ConflictingDeletionTests {
  @Test("a change does not restore a model that another context deleted", arguments: Engine.allCases)
  func deletedElsewhere(_ engine: Engine) throws {
    let (store, here, there, mine, theirs) = try TestStore.readTwice(engine)
    there.delete(theirs)
    try there.save()
    mine.age = 32
    here.conflictPolicy = .throwError
    let error = #expect(throws: SwiftDataError.self) { try here.save() }
    #expect(error == .conflictingChanges)
    #expect(error?.explanation?.contains("deleted elsewhere") == true)
    #expect(here.hasChanges)
    here.conflictPolicy = .mergeByProperty(keeping: .theirs)
    try here.save()
    #expect(mine.isDeleted)
    #expect(!here.hasChanges)
    #expect(here.resolvedConflicts.map(\.kind) == [.deletedElsewhere])
    #expect(try store.context().fetchCount(FetchDescriptor<Artist>()) == 0)
  }

  @Test(
    "a model that another context changed is deleted, and the save reports the lost values", arguments: Engine.allCases)
  func deletedHere(_ engine: Engine) throws {
    let (store, here, there, mine, theirs) = try TestStore.readTwice(engine)
    theirs.age = 31
    try there.save()
    here.delete(mine)
    here.conflictPolicy = .throwError
    let error = #expect(throws: SwiftDataError.self) { try here.save() }
    #expect(error?.explanation?.contains("Artist p1 is deleted here") == true)
    here.conflictPolicy = .mergeByProperty(keeping: .ours)
    try here.save()
    #expect(here.resolvedConflicts.map(\.kind) == [.deletedHere])
    #expect(here.resolvedConflicts.first?.theirs == "31")
    #expect(try store.context().fetchCount(FetchDescriptor<Artist>()) == 0)
  }

  @Test("deleting a model twice, or deleting an unchanged model, is not a conflict", arguments: Engine.allCases)
  func bothDeleted(_ engine: Engine) throws {
    let (store, here, there, mine, theirs) = try TestStore.readTwice(engine)
    here.conflictPolicy = .throwError
    there.delete(theirs)
    there.insert(Artist("Bo"))
    try there.save()
    here.delete(mine)
    here.delete(try here.artist("Bo"))
    try here.save()
    #expect(try store.context().fetchCount(FetchDescriptor<Artist>()) == 0)
  }
}
