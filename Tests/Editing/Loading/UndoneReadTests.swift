import ConformanceSupport
import SwiftData
import Testing

@Suite("Lists that are read in a transaction that is undone")
struct UndoneReadTests {
  @Test("after rows went without their objects are read again", arguments: Engine.allCases)
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

  @Test("inside another one, too", arguments: Engine.allCases)
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

  @Test("by a transaction inside that succeeds are read again when the outer one is undone", arguments: Engine.allCases)
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

  @Test("that nothing changed are read once and kept where the transaction succeeds", arguments: Engine.allCases)
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
}
