import ConformanceSupport
import PersistenceCore
import SwiftData
import Testing

@Suite("Reads that an observer makes while the context reads")
struct NestedReadTests {
  @Test(
    "an observer that is notified during a fetch may read a relationship that is not loaded yet",
    arguments: Engine.allCases)
  func observer(_ engine: Engine) throws {
    let store = try TestStore.disturbed(engine)
    let (here, there) = (store.context(), store.context())
    let artist = try here.artist()
    try there.artist().age = 50
    try there.save()
    let found = Log<[String]>()
    // The context calls the observer on this thread, while the fetch is running.
    nonisolated(unsafe) let read = artist
    withObservationTracking {
      _ = artist.age
    } onChange: {
      found.add(read.works.map(\.title))
    }
    _ = try here.fetchCount(FetchDescriptor<Group>())
    #expect(found.entries == [["First"]])
    #expect(artist.age == 50)
    artist.age += 1
    try here.save()
    #expect(try store.storedArtist().model.age == 51)
  }

  @Test("the remote test engine rejects statements while it returns rows, but allows them after the rows were copied")
  func refusal() throws {
    let store = try TestStore.oneArtist(.remote)
    let opened = try #require(store.context().stores.stores.first)
    let request = FetchRequest(entity: try #require(opened.layout(of: Artist.self)))
    #expect(throws: SwiftDataError.storeFailure) {
      try opened.engine.fetch(request, in: nil) { _ in _ = try opened.engine.count(request, in: nil) }
    }
    var count = 0
    try opened.fetch(request, in: nil) { _ in
      count = try opened.engine.count(request, in: nil)
      #expect(opened.isReadingHere)
    }
    #expect(count == 1)
    #expect(!opened.isReadingHere)
  }

  @Test("a commit that an observer makes during a fetch is applied at the next operation, after the fetched rows")
  func older() throws {
    let store = try TestStore.oneArtist(.remote)
    let (here, there) = (store.context(), store.context())
    let artist = try here.artist()
    let foreign = try store.foreignContext()
    try foreign.artist().age = 50
    try foreign.save()
    // The fetch calls the observer on this thread, while it applies the rows.
    nonisolated(unsafe) let reading = here
    nonisolated(unsafe) let saving = there
    withObservationTracking {
      _ = artist.age
    } onChange: {
      do {
        try saving.artist().age = 60
        try saving.save()
        _ = try reading.fetchCount(FetchDescriptor<Group>())
      } catch {
        Issue.record(error)
      }
    }
    _ = try here.fetch(FetchDescriptor<Artist>())
    #expect(artist.age == 50)
    _ = try here.fetchCount(FetchDescriptor<Group>())
    #expect(artist.age == 60)
  }
}
