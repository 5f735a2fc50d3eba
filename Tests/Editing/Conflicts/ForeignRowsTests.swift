import ConformanceSupport
import PersistenceCore
import SwiftData
import Testing

@Suite("Commits of other processes whose changed rows the engine reports")
struct ForeignRowsTests {
  /// Creates a store with three artists, and a context that has registered their objects.
  private func threeArtists() throws -> (store: TestStore, context: ModelContext, artists: [Artist]) {
    let store = try TestStore.studios(.remote)
    let context = store.context()
    let artists = ["a", "b", "c"].map { Artist($0) }
    for artist in artists { context.insert(artist) }
    try context.save()
    return (store, context, artists)
  }

  /// Another process changes the artists "a" and "b", deletes the third one and inserts a new one.
  private func changeElsewhere(_ store: TestStore) throws {
    let there = try store.foreignContext()
    try there.artist("a").age = 41
    try there.artist("b").age = 42
    there.delete(try there.artist("c"))
    there.insert(Artist("d"))
    try there.save()
  }

  private func layout(of type: any PersistentModel.Type, in store: TestStore) throws -> EntityLayout {
    try #require(store.context().stores.stores.first?.layout(of: type))
  }

  private func rows(_ store: TestStore, updated: [Artist], deleted: [Artist] = []) throws -> ForeignRows {
    ForeignRows(
      of: try layout(of: Artist.self, in: store), updated: Set(updated.map { $0._$state.pointee.primaryKey }),
      deleted: Set(deleted.map { $0._$state.pointee.primaryKey }))
  }

  @Test("the context reads only the reported rows again")
  func named() throws {
    let (store, context, artists) = try threeArtists()
    try changeElsewhere(store)
    store.link.noteForeignCommit([try rows(store, updated: [artists[0]], deleted: [artists[2]])])
    _ = try context.fetchCount(FetchDescriptor<Studio>())
    #expect(artists[0].age == 41)
    #expect(artists[1].age == 30)
    #expect(artists[2].isDeleted)
    #expect(!context.hasChanges)
  }

  @Test("the context reads all its rows again if the changed rows of one commit are unknown")
  func unnamed() throws {
    let (store, context, artists) = try threeArtists()
    try changeElsewhere(store)
    store.link.noteForeignCommit([try rows(store, updated: [artists[0]])])
    store.link.noteForeignCommit(nil)
    _ = try context.fetchCount(FetchDescriptor<Studio>())
    #expect(artists[0].age == 41)
    #expect(artists[1].age == 42)
    #expect(artists[2].isDeleted)
  }

  @Test("the context applies every commit if it detects each one separately")
  func several() throws {
    let (store, context, artists) = try threeArtists()
    for (number, artist) in artists.enumerated() {
      let there = try store.foreignContext()
      try there.artist(artist.name).age = 50 + number
      try there.save()
      store.link.noteForeignCommit([try rows(store, updated: [artist])])
      _ = try context.fetchCount(FetchDescriptor<Studio>())
      #expect(artist.age == 50 + number)
    }
  }

  @Test("after the context has read the rows again, a save compares no rows")
  func known() throws {
    let (store, context, artists) = try threeArtists()
    func trips() throws -> Int {
      artists[1].age += 1
      let before = store.link.tripCount
      try context.save()
      return store.link.tripCount - before
    }
    _ = try trips()
    let undisturbed = try trips()
    let there = try store.foreignContext()
    try there.artist("a").age = 41
    try there.save()
    store.link.noteForeignCommit([try rows(store, updated: [artists[0]])])
    _ = try context.fetchCount(FetchDescriptor<Studio>())
    #expect(try trips() == undisturbed)
  }

  @Test("an unsaved change conflicts with the other process's change of the same property")
  func conflict() throws {
    let (store, context, artists) = try threeArtists()
    context.conflictPolicy = .throwError
    artists[0].age = 50
    try changeElsewhere(store)
    store.link.noteForeignCommit([try rows(store, updated: [artists[0]], deleted: [artists[2]])])
    _ = try context.fetchCount(FetchDescriptor<Studio>())
    #expect(artists[0].age == 50)
    #expect(throws: SwiftDataError.conflictingChanges) { try context.save() }
  }

  @Test("the list of a reported owner contains the objects that the other process inserted")
  func owners() throws {
    let (store, context, artists) = try threeArtists()
    #expect(artists[0].works.isEmpty)
    let there = try store.foreignContext()
    let work = Work("w", artist: try there.artist("a"))
    there.insert(work)
    try there.save()
    let inserted = ForeignRows(
      of: try layout(of: Work.self, in: store), inserted: [work._$state.pointee.primaryKey])
    store.link.noteForeignCommit([inserted, try rows(store, updated: [artists[0]])])
    _ = try context.fetchCount(FetchDescriptor<Studio>())
    #expect(artists[0].works.map(\.title) == ["w"])
  }
}
