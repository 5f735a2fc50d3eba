import ConformanceSupport
import SwiftData
import Testing

@Suite("Lists that are read in a rolled-back transaction")
struct UndoneReadTests {
  @Test("a list that was read after a batch deletion is read again after the rollback", arguments: Engine.allCases)
  func batchDeletion(_ engine: Engine) throws {
    let store = try TestStore.disturbed(engine)
    let context = store.context()
    let artist = try context.artist()
    let flag = Log<Flag>()
    #expect(throws: Failure.self) {
      try context.transaction {
        try context.delete(model: Work.self)
        try context.save()
        flag.add(changeFlag { #expect(artist.works.isEmpty) })
        throw Failure()
      }
    }
    #expect(artist.works.map(\.title) == ["First"])
    #expect(flag.entries.allSatisfy(\.isRaised) && !context.hasChanges)
    artist.works.append(Work("Second"))
    try context.save()
    #expect(try store.storedArtist().model.works.map(\.title) == ["First", "Second"])
  }

  @Test("a list that was read in a rolled-back nested transaction is read again", arguments: Engine.allCases)
  func nested(_ engine: Engine) throws {
    let store = try TestStore.disturbed(engine)
    let context = store.context()
    let artist = try context.artist()
    try context.transaction {
      #expect(throws: Failure.self) {
        try context.transaction {
          try context.delete(model: Work.self)
          try context.save()
          #expect(artist.works.isEmpty)
          throw Failure()
        }
      }
      #expect(artist.works.map(\.title) == ["First"])
    }
    #expect(try store.storedArtist().model.works.map(\.title) == ["First"])
  }

  @Test(
    "a list that was read in a successful nested transaction is read again after the outer rollback",
    arguments: Engine.allCases)
  func outer(_ engine: Engine) throws {
    let store = try TestStore.disturbed(engine)
    let context = store.context()
    let artist = try context.artist()
    #expect(throws: Failure.self) {
      try context.transaction {
        try context.delete(model: Work.self)
        try context.save()
        try context.transaction { #expect(artist.works.isEmpty) }
        throw Failure()
      }
    }
    #expect(artist.works.map(\.title) == ["First"])
  }

  @Test("a list that was read in a successful transaction is not read again", arguments: Engine.allCases)
  func kept(_ engine: Engine) throws {
    let store = try TestStore.disturbed(engine)
    let context = store.context()
    let artist = try context.artist()
    try context.transaction {
      context.insert(Studio("West"))
      try context.save()
      #expect(artist.works.map(\.title) == ["First"])
    }
    try store.hide("Work")
    #expect(artist.works.map(\.title) == ["First"])
    try store.show("Work")
  }

  // MARK: Columns

  @Test(
    "a reference that the store set to nil because of a batch deletion is read again after the rollback",
    arguments: Engine.allCases, [false, true])
  func column(_ engine: Engine, _ isKnown: Bool) throws {
    let store = try TestStore.disturbed(engine)
    let context = store.context()
    // If the row of the artist is unread, the transaction treats its object like an object that the transaction
    // registers.
    let unread = try isKnown ? context.unreadArtist() : nil
    var found: Artist?
    #expect(throws: Failure.self) {
      try context.transaction {
        try context.delete(model: Studio.self)
        try context.save()
        let artist = try unread ?? context.artist()
        #expect(artist.studio == nil)
        found = artist
        throw Failure()
      }
    }
    let artist = try #require(found)
    #expect(artist.studio?.name == "North" && !artist.isDeleted && !context.hasChanges)
    artist.age = 42
    try context.save()
    #expect(try store.storedArtist().model.studio?.name == "North")
  }

  @Test(
    "references of objects in a list are read again after the rollback, even if a nested transaction read them",
    arguments: Engine.allCases)
  func columnInList(_ engine: Engine) throws {
    let store = try TestStore.disturbed(engine)
    let before = store.context()
    let group = Group("g")
    before.insert(group)
    group.members = [try before.artist()]
    try before.save()
    let context = store.context()
    let found = Log<Flag>()
    var artist: Artist?
    #expect(throws: Failure.self) {
      try context.transaction {
        try context.delete(model: Studio.self)
        try context.save()
        try context.transaction {
          let member = try #require(try context.only(Group.self).members.first)
          found.add(changeFlag { #expect(member.studio == nil) })
          artist = member
        }
        throw Failure()
      }
    }
    #expect(artist?.studio?.name == "North")
    #expect(found.entries.allSatisfy(\.isRaised) && !context.hasChanges)
  }
}
