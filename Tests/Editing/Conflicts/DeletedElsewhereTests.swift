import ConformanceSupport
import Foundation
import SwiftData
import Testing

@Suite("A row that one context deletes and another changes")
struct DeletedElsewhereTests {
  private static let merging: [ModelContext.ConflictPolicy] = [
    .mergeByProperty(keeping: .ours), .mergeByProperty(keeping: .theirs),
  ]

  /// If `hears` is true, a fetch makes the context apply the other context's deletion before the save.
  private func hear(_ context: ModelContext, _ hears: Bool) throws {
    if hears { _ = try context.fetchCount(FetchDescriptor<Group>()) }
  }

  @Test("a merging save leaves the row deleted and reports one conflict", arguments: Engine.allCases, [false, true])
  func changed(_ engine: Engine, hears: Bool) throws {
    for policy in Self.merging {
      let (store, here, there, mine, theirs) = try TestStore.readTwice(engine)
      here.conflictPolicy = policy
      there.delete(theirs)
      try there.save()
      mine.age = 32
      try hear(here, hears)
      try here.save()
      #expect(mine.isDeleted && mine.modelContext == nil)
      #expect((mine.age, mine.name) == (32, "Ada"))
      #expect(!here.hasChanges && !mine.hasChanges)
      #expect(here.resolvedConflicts.map(\.kind) == [.deletedElsewhere])
      #expect(here.resolvedConflicts.map(\.persistentModelID) == [mine.persistentModelID])
      #expect(here.registeredModel(for: mine.persistentModelID) as Artist? == nil)
      mine.age = 33
      here.insert(Artist("Bo"))
      try here.save()
      #expect(here.resolvedConflicts.isEmpty)
      #expect(try store.context().fetch(FetchDescriptor<Artist>()).map(\.name) == ["Bo"])
    }
  }

  @Test(
    "the row stays deleted if this context changed the object before the other context deleted the row",
    arguments: Engine.allCases)
  func changedBefore(_ engine: Engine) throws {
    let (_, here, there, mine, theirs) = try TestStore.readTwice(engine)
    mine.age = 32
    there.delete(theirs)
    try there.save()
    try hear(here, true)
    #expect(!mine.isDeleted && here.hasChanges)
    try here.save()
    #expect(mine.isDeleted && !here.hasChanges)
  }

  @Test("the save logs the conflict in one line")
  func log() throws {
    let recorder = LogRecorder()
    try recorder.listen {
      let (_, here, there, mine, theirs) = try TestStore.readTwice(.memory)
      there.delete(theirs)
      try there.save()
      mine.age = 32
      recorder.clear()
      try here.save()
    }
    let lines = recorder.all.filter { $0.message.contains("deleted elsewhere") }
    #expect(lines.count == 1)
    #expect(lines.first?.message.contains("Artist p1") == true)
  }

  @Test(
    "under the throwing policy, every save throws until the program rolls back",
    arguments: Engine.allCases, [false, true])
  func throwing(_ engine: Engine, hears: Bool) throws {
    let (_, here, there, mine, theirs) = try TestStore.readTwice(engine)
    here.conflictPolicy = .throwError
    mine.age = 32
    there.delete(theirs)
    try there.save()
    try hear(here, hears)
    for _ in 0..<2 {
      let error = #expect(throws: SwiftDataError.self) { try here.save() }
      #expect(error == .conflictingChanges)
      #expect(error?.explanation?.contains("Artist p1") == true)
    }
    here.rollback()
    #expect(mine.isDeleted && !here.hasChanges)
    try here.save()
  }

  @Test(
    "a row that this context deleted by a batch deletion causes no conflict with its own later change",
    arguments: Engine.allCases)
  func ownBatchDeletion(_ engine: Engine) throws {
    let store = try TestStore.oneArtist(engine)
    let here = store.context()
    here.conflictPolicy = .throwError
    try here.delete(model: Artist.self)
    var descriptor = FetchDescriptor<Artist>()
    descriptor.includePendingChanges = false
    let mine = try #require(try here.fetch(descriptor).first)
    mine.age = 32
    try here.save()
    #expect(mine.isDeleted && !mine.hasChanges && !here.hasChanges)
    #expect(here.resolvedConflicts.isEmpty)
    #expect(try store.context().fetchCount(FetchDescriptor<Artist>()) == 0)
  }

  @Test("the save removes the deleted object from all to-many relationships of the context", arguments: Engine.allCases)
  func lists(_ engine: Engine) throws {
    let store = try TestStore.oneArtist(engine)
    let (here, there) = (store.context(), store.context())
    let mine = try here.artist()
    let (studio, group) = (Studio("North"), Group("Red"))
    mine.studio = studio
    mine.groups = [group]
    try here.save()
    #expect(studio.artists == [mine] && group.members == [mine])
    there.delete(try there.artist())
    try there.save()
    mine.age = 32
    try here.save()
    #expect(mine.isDeleted)
    #expect(studio.artists.isEmpty && group.members.isEmpty)
    #expect(!here.hasChanges)
    let fresh = store.context()
    #expect(try fresh.only(Studio.self).artists.isEmpty)
    #expect(try fresh.only(Group.self).members.isEmpty)
  }

  @Test("the row stays deleted if its object is of a subclass", arguments: Engine.allCases)
  func subclass(_ engine: Engine) throws {
    let store = try TestStore(engine, petModels)
    let (here, there) = (store.context(), store.context())
    let owner = PetOwner("Ada")
    let mine = Parrot("Polly", owner: owner)
    here.insert(mine)
    try here.save()
    try there.delete(model: Animal.self)
    try there.save()
    mine.words = 3
    let friend = Animal("Rex", owner: owner)
    friend.friend = mine
    here.insert(friend)
    try here.save()
    #expect(mine.isDeleted && friend.friend == nil)
    #expect(owner.pets == [friend])
    #expect(try store.context().fetch(FetchDescriptor<Animal>()).map(\.name) == ["Rex"])
  }

  @Test("the row stays deleted if its model has a hand-written conformance", arguments: Engine.allCases, [false, true])
  func handWritten(_ engine: Engine, hears: Bool) throws {
    let store = try TestStore(engine, [Jotting.self])
    let (here, there) = (store.context(), store.context())
    let (mine, other) = (Jotting("mine", words: ["a"]), Jotting("other", words: []))
    here.insert(mine)
    here.insert(other)
    try here.save()
    try there.delete(model: Jotting.self)
    try there.save()
    mine.name = "changed"
    if hears {
      _ = try here.fetchCount(FetchDescriptor<Jotting>())
      #expect(other.isDeleted && other.name == "other")
    }
    try here.save()
    #expect(mine.isDeleted && !here.hasChanges)
    #expect(here.resolvedConflicts.map(\.kind) == [.deletedElsewhere])
    #expect(try store.context().fetchCount(FetchDescriptor<Jotting>()) == 0)
  }

  @Test(
    "the row stays deleted if the other context has inserted a new row with the same unique value",
    arguments: Engine.allCases)
  func insertedAgain(_ engine: Engine) throws {
    let store = try TestStore(engine, petModels)
    let (here, there) = (store.context(), store.context())
    let mine = PetOwner("Ada")
    here.insert(mine)
    try here.save()
    there.delete(try there.only(PetOwner.self))
    try there.save()
    let theirs = PetOwner("Ada")
    theirs.town = "Oslo"
    there.insert(theirs)
    try there.save()
    mine.town = "Rome"
    let theirsHere = try #require(
      try here.fetch(FetchDescriptor<PetOwner>(predicate: #Predicate { $0.town == "Oslo" })).first)
    let pet = Animal("Rex", owner: theirsHere)
    here.insert(pet)
    try here.save()
    #expect(mine.isDeleted && pet.owner.town == "Oslo")
    #expect(try store.context().only(PetOwner.self).town == "Oslo")
    let again = PetOwner("Ada")
    again.town = "Paris"
    here.insert(again)
    try here.save()
    #expect(try store.context().only(PetOwner.self).town == "Paris")
  }

  @Test(
    "if both contexts delete the row, the save succeeds without a conflict, and the deletion cascades",
    arguments: Engine.allCases)
  func both(_ engine: Engine) throws {
    let (store, here, there, mine, theirs) = try TestStore.readTwice(engine)
    mine.works = [Work("Sonata")]
    try here.save()
    there.delete(theirs)
    try there.save()
    mine.works.first?.year = 1990
    here.delete(mine)
    try here.save()
    #expect(!here.hasChanges && here.resolvedConflicts.isEmpty)
    #expect(try store.context().fetchCount(FetchDescriptor<Work>()) == 0)
  }

  @Test("undoing the change of a deleted row does not restore the row", arguments: Engine.allCases)
  func undo(_ engine: Engine) throws {
    let (store, here, there, mine, theirs) = try TestStore.readTwice(engine)
    here.undoManager = UndoManager()
    there.delete(theirs)
    try there.save()
    mine.age = 32
    try here.save()
    #expect(mine.isDeleted)
    here.undoManager?.undo()
    here.insert(Artist("Bo"))
    try here.save()
    #expect(mine.isDeleted)
    #expect(try store.context().fetch(FetchDescriptor<Artist>()).map(\.name) == ["Bo"])
  }

  @Test(
    "if a transaction that detected the deletion is rolled back, the next transaction detects it again",
    arguments: Engine.allCases)
  func transaction(_ engine: Engine) throws {
    let (store, here, there, mine, theirs) = try TestStore.readTwice(engine)
    there.delete(theirs)
    try there.save()
    mine.age = 32
    #expect(throws: Failure.self) {
      try here.transaction {
        here.insert(Work("Sonata", artist: mine))
        try here.save()
        #expect(mine.isDeleted)
        throw Failure()
      }
    }
    try here.transaction { here.insert(Work("Rondo")) }
    #expect(mine.isDeleted && !here.hasChanges)
    #expect(try store.context().fetch(FetchDescriptor<Work>()).map(\.title) == ["Rondo"])
    #expect(try store.context().fetchCount(FetchDescriptor<Artist>()) == 0)
  }

  @Test(
    "a changed row stays deleted if the context deletes its owner and the store's cascade deletes the row",
    arguments: Engine.allCases)
  func takenAlong(_ engine: Engine) throws {
    let (store, here, there, mine, theirs) = try TestStore.readTwice(engine)
    let work = Work("Sonata")
    here.insert(work)
    try here.save()
    #expect(mine.works.isEmpty)
    theirs.works = [try there.only(Work.self)]
    try there.save()
    work.year = 1990
    here.delete(mine)
    try here.save()
    #expect(work.isDeleted && !here.hasChanges)
    #expect(here.resolvedConflicts.contains { $0.persistentModelID == work.persistentModelID })
    #expect(try store.context().fetchCount(FetchDescriptor<Work>()) == 0)
  }
}
