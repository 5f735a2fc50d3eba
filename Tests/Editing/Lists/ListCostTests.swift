import ConformanceSupport
import SwiftData
import Testing

/// Whether the list's owner is not inserted, inserted but unsaved, or fetched.
enum Owner: String, CaseIterable {
  case new, inserted, fetched
}

@Suite("Lists that are changed in place, one object at a time")
struct ListCostTests {
  private struct Scene {
    let store: TestStore
    let context: ModelContext
    let studio: Studio
  }

  private func scene(_ owner: Owner, artists: Int = 0) throws -> Scene {
    let store = try TestStore(.memory, Studios.models)
    let context = store.context()
    let studio = Studio("one")
    guard owner != .new else { return Scene(store: store, context: context, studio: studio) }
    context.insert(studio)
    studio.artists = (0..<artists).map { Artist("\($0)") }
    guard owner == .fetched else { return Scene(store: store, context: context, studio: studio) }
    try context.save()
    let other = store.context()
    let fetched = try other.fetch(FetchDescriptor<Studio>())[0]
    return Scene(store: store, context: other, studio: fetched)
  }

  /// Measures the CPU time of appending a number of objects one by one.
  private func appends(_ count: Int, _ owner: Owner) throws -> Duration {
    let scene = try scene(owner)
    let artists = (0..<count).map { Artist("\($0)") }
    let time = cpuTime {
      for artist in artists { scene.studio.artists.append(artist) }
    }
    #expect(scene.studio.artists.count == count)
    #expect(artists.allSatisfy { $0.studio === scene.studio })
    return time
  }

  @Test("100,000 appends take less than 40 times the CPU time of 10,000 appends", arguments: Owner.allCases)
  func appending(_ owner: Owner) throws {
    let few = try appends(10_000, owner)
    let many = try appends(100_000, owner)
    #expect(many < few * 40, "10,000 took \(few), 100,000 took \(many)")
  }

  @Test(
    "removing 30,000 objects from the end of a list takes less than 40 times the CPU time of removing 3,000",
    arguments: [Owner.inserted, .fetched])
  func removing(_ owner: Owner) throws {
    func removals(_ count: Int) throws -> Duration {
      let scene = try scene(owner, artists: count)
      _ = scene.studio.artists.count
      return cpuTime {
        while !scene.studio.artists.isEmpty { scene.studio.artists.removeLast() }
      }
    }
    let (few, many) = (try removals(3_000), try removals(30_000))
    #expect(many < few * 40, "3,000 took \(few), 30,000 took \(many)")
  }

  @Test(
    "a list of 1,000 objects keeps every change, including several changes in one access", arguments: Engine.allCases)
  func several(_ engine: Engine) throws {
    let store = try TestStore(engine, Studios.models)
    let context = store.context()
    let studio = Studio("one")
    context.insert(studio)
    studio.artists = (0..<1_000).map { Artist("\($0)") }
    try context.save()
    let (late, other) = (Artist("late"), Artist("other"))
    func change(_ artists: inout [Artist]) {
      artists.swapAt(3, 700)
      artists[500] = other
      artists.append(late)
    }
    let former = studio.artists[500]
    change(&studio.artists)
    #expect(late.studio === studio)
    try context.save()
    #expect(other.studio === studio)
    #expect(former.studio == nil)
    let names = studio.artists.map(\.name)
    #expect([names[3], names[500], names[700], names[1_000]] == ["700", "other", "3", "late"])
    #expect(try store.context().fetch(FetchDescriptor<Studio>())[0].artists.map(\.name) == names)
  }

  @Test(
    "a list ignores an appended object of another container, and an object that it already contains",
    arguments: Engine.allCases)
  func refusals(_ engine: Engine) throws {
    let (store, elsewhere) = (try TestStore(engine, Studios.models), try TestStore(engine, Studios.models))
    let (context, foreign) = (store.context(), elsewhere.context())
    let theirs = Artist("theirs")
    foreign.insert(theirs)
    try foreign.save()
    let studio = Studio("one")
    context.insert(studio)
    studio.artists = (0..<1_000).map { Artist("\($0)") }
    studio.artists.append(theirs)
    #expect(studio.artists.count == 1_000)
    studio.artists.append(studio.artists[7])
    #expect(studio.artists.count == 1_000)
    let error = #expect(throws: SwiftDataError.self) { try context.save() }
    #expect(error?.explanation?.split(separator: "\n").count == 1)
    try context.save()
    #expect(try store.context().fetchCount(FetchDescriptor<Artist>()) == 1_000)
  }
}
