import ConformanceSupport
import SwiftData
import Testing

@Suite("A reference to a row that another context deleted")
struct LostReferenceTests {
  private static let merging: [ModelContext.ConflictPolicy] = [
    .mergeByProperty(keeping: .ours), .mergeByProperty(keeping: .theirs),
  ]

  /// If `hears` is true, a fetch makes the context apply the other context's deletion before the save.
  private func hear(_ context: ModelContext, _ hears: Bool) throws {
    if hears { _ = try context.fetchCount(FetchDescriptor<Group>()) }
  }

  @Test("the save of a new model sets its optional reference to nil", arguments: Engine.allCases, [false, true])
  func newModel(_ engine: Engine, hears: Bool) throws {
    for policy in Self.merging {
      let (store, here, there, mine, theirs) = try TestStore.readTwice(engine)
      here.conflictPolicy = policy
      let work = Work("Sonata", artist: mine)
      here.insert(work)
      there.delete(theirs)
      try there.save()
      try hear(here, hears)
      try here.save()
      #expect(work.artist == nil && !work.isDeleted)
      #expect(mine.isDeleted)
      #expect(!here.hasChanges)
      let conflict = try #require(here.resolvedConflicts.first { $0.propertyName == "artist" })
      #expect(conflict.kind == .deletedElsewhere)
      #expect(conflict.persistentModelID == work.persistentModelID)
      #expect(conflict.ours == "Artist p1")
      #expect(try store.context().only(Work.self).artist == nil)
    }
  }

  @Test(
    "a merging save sets a changed optional reference to nil; under the throwing policy it throws",
    arguments: Engine.allCases)
  func changedReference(_ engine: Engine) throws {
    for policy in Self.merging + [.throwError] {
      let (store, here, there, mine, theirs) = try TestStore.readTwice(engine)
      let work = Work("Sonata")
      here.insert(work)
      try here.save()
      here.conflictPolicy = policy
      there.delete(theirs)
      try there.save()
      work.artist = mine
      work.year = 1999
      guard policy != .throwError else {
        #expect(throws: SwiftDataError.conflictingChanges) { try here.save() }
        #expect(work.artist === mine && here.hasChanges)
        continue
      }
      try here.save()
      #expect(work.artist == nil && work.year == 1999 && mine.isDeleted)
      let stored = try store.context().only(Work.self)
      #expect(stored.artist == nil && stored.year == 1999)
    }
  }

  @Test(
    "if a new model requires the reference, the save throws an error that names the model and the deleted row",
    arguments: Engine.allCases,
    [false, true])
  func required(_ engine: Engine, hears: Bool) throws {
    let store = try TestStore(engine, petModels)
    let (here, there) = (store.context(), store.context())
    here.insert(PetOwner("Ada"))
    here.insert(PetOwner("Bo"))
    try here.save()
    let owners = try here.fetch(FetchDescriptor<PetOwner>(sortBy: [SortDescriptor(\.name)]))
    let pet = Animal("Rex", owner: owners[0])
    here.insert(pet)
    try there.delete(model: PetOwner.self, where: #Predicate { $0.name == "Ada" })
    try there.save()
    if hears { _ = try here.fetchCount(FetchDescriptor<Animal>()) }
    for _ in 0..<2 {
      let error = #expect(throws: SwiftDataError.self) { try here.save() }
      #expect(error == .modelValidationFailure)
      let text = error?.explanation ?? ""
      #expect(text.contains("Animal.owner of Animal") && text.contains("PetOwner p1"), "\(text)")
    }
    pet.owner = owners[1]
    try here.save()
    #expect(try store.context().only(Animal.self).owner.name == "Bo")
  }

  @Test(
    "the save removes the deleted object from lists, and writes no join-table row for it",
    arguments: Engine.allCases, [false, true])
  func pairs(_ engine: Engine, hears: Bool) throws {
    let (store, here, there, mine, theirs) = try TestStore.readTwice(engine)
    let (group, studio) = (Group("Red"), Studio("North"))
    here.insert(group)
    here.insert(studio)
    try here.save()
    there.delete(theirs)
    try there.save()
    let other = Artist("Bo")
    group.members = [mine, other]
    studio.artists = [mine, other]
    try hear(here, hears)
    try here.save()
    #expect(group.members.map(\.name) == ["Bo"] && studio.artists.map(\.name) == ["Bo"])
    #expect(mine.isDeleted && !here.hasChanges)
    let fresh = store.context()
    #expect(try fresh.only(Group.self).members.map(\.name) == ["Bo"])
    #expect(try fresh.only(Studio.self).artists.map(\.name) == ["Bo"])
  }

  @Test(
    "the save writes models that were added to the deleted object's lists, without a reference to it",
    arguments: Engine.allCases)
  func owner(_ engine: Engine) throws {
    let (store, here, there, mine, theirs) = try TestStore.readTwice(engine)
    there.delete(theirs)
    try there.save()
    mine.works.append(Work("Sonata"))
    mine.groups.append(Group("Red"))
    try here.save()
    #expect(mine.isDeleted)
    #expect(try here.only(Work.self).artist == nil)
    #expect(try here.only(Group.self).members.isEmpty)
    #expect(try store.context().only(Work.self).artist == nil)
  }

  @Test(
    "a new model that is inserted again after a rolled-back transaction loses its reference",
    arguments: Engine.allCases, [false, true])
  func returning(_ engine: Engine, hears: Bool) throws {
    let (store, here, there, mine, theirs) = try TestStore.readTwice(engine)
    let (work, group) = (Work("Sonata"), Group("Red"))
    #expect(throws: Failure.self) {
      try here.transaction {
        work.artist = mine
        group.members = [mine]
        try here.save()
        throw Failure()
      }
    }
    there.delete(theirs)
    try there.save()
    try hear(here, hears)
    here.insert(work)
    here.insert(group)
    try here.save()
    #expect(work.artist == nil && group.members.isEmpty && mine.isDeleted && !here.hasChanges)
    let fresh = store.context()
    #expect(try fresh.only(Work.self).artist == nil)
    #expect(try fresh.only(Group.self).members.isEmpty)
  }

  @Test(
    "if this context deleted the row by a batch deletion, the save throws a validation error, not a conflict",
    arguments: Engine.allCases)
  func ownBatchDeletion(_ engine: Engine) throws {
    let store = try TestStore.oneArtist(engine)
    let here = store.context()
    try here.delete(model: Artist.self)
    var descriptor = FetchDescriptor<Artist>()
    descriptor.includePendingChanges = false
    let mine = try #require(try here.fetch(descriptor).first)
    let work = Work("Sonata")
    here.insert(work)
    work.artist = mine
    #expect(throws: SwiftDataError.modelValidationFailure) { try here.save() }
    #expect(here.resolvedConflicts.isEmpty && work.artist === mine)
    work.artist = nil
    try here.save()
    #expect(here.resolvedConflicts.isEmpty && mine.isDeleted && !here.hasChanges)
    #expect(try store.context().fetchCount(FetchDescriptor<Artist>()) == 0)
  }

  @Test(
    "if this context deleted the row by a batch deletion, a save of a list with its object throws",
    arguments: Engine.allCases)
  func ownBatchDeletionInList(_ engine: Engine) throws {
    let store = try TestStore.oneArtist(engine)
    let here = store.context()
    try here.delete(model: Artist.self)
    var descriptor = FetchDescriptor<Artist>()
    descriptor.includePendingChanges = false
    let mine = try #require(try here.fetch(descriptor).first)
    let group = Group("Red")
    here.insert(group)
    group.members = [mine]
    let error = #expect(throws: SwiftDataError.self) { try here.save() }
    #expect(error == .modelValidationFailure)
    let words = try #require(error?.explanation)
    #expect(words.contains("Group.members of Group ") && words.contains("refers to Artist p1, which this context has"))
    #expect(here.resolvedConflicts.isEmpty && group.members == [mine])
    group.members = []
    try here.save()
    #expect(mine.isDeleted && !here.hasChanges)
    #expect(try store.context().only(Group.self).members.isEmpty)
  }

  @Test("if this context deleted the object itself, the save throws a validation error", arguments: Engine.allCases)
  func ownDeletion(_ engine: Engine) throws {
    let (_, here, _, mine, _) = try TestStore.readTwice(engine)
    here.delete(mine)
    try here.save()
    let work = Work("Sonata")
    here.insert(work)
    work.artist = mine
    #expect(throws: SwiftDataError.modelValidationFailure) { try here.save() }
    work.artist = nil
    try here.save()
  }
}
