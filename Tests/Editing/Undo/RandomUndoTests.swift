import ConformanceSupport
import SwiftData
import Testing

@Suite("Undo of random edits")
struct RandomUndoTests {
  @Test(
    "undoing and redoing all random edits restores every recorded state exactly",
    arguments: Engine.randomCases, [false, true])
  func run(_ engine: Engine, saves: Bool) throws {
    for seed in RandomTesting.seeds(RandomTesting.soak) {
      var run = try UndoRun(engine, seed: seed, saves: saves)
      try run.run(steps: 60)
      RandomTesting.note("steps of edits that are undone and done again", 60)
    }
  }
}

/// Edits objects at random, records the state after each step, and then undoes and redoes all steps.
private struct UndoRun {
  private let store: TestStore
  private let context: ModelContext
  private let manager = UndoManager()
  private var generator: SeededGenerator
  private let seed: UInt64
  private let saves: Bool
  private var count = 0
  private var history: [[String]] = []

  init(_ engine: Engine, seed: UInt64, saves: Bool) throws {
    store = try TestStore.studios(engine)
    context = store.context()
    context.undoManager = manager
    generator = SeededGenerator(seed: seed)
    (self.seed, self.saves) = (seed, saves)
  }

  mutating func run(steps: Int) throws {
    history = [try snapshot(context)]
    for _ in 0..<steps {
      for _ in 0...Int.random(in: 0..<4, using: &generator) { try edit() }
      context.processPendingChanges()
      // An edit without an effect, such as an edit of a deleted object, creates no undo step.
      let now = try snapshot(context)
      if manager.undoCount == history.count { history.append(now) } else { history[history.count - 1] = now }
      if saves, Bool.random(using: &generator) { try context.save() }
    }
    for _ in 0..<2 {
      for place in (0..<history.count - 1).reversed() {
        manager.undo()
        try expect(place)
      }
      #expect(!manager.canUndo, "seed \(seed)")
      for place in 1..<history.count {
        manager.redo()
        try expect(place)
      }
    }
    try context.save()
    #expect(try snapshot(store.context()) == history.last ?? [], "seed \(seed)")
  }

  private mutating func expect(_ place: Int) throws {
    let now = try snapshot(context)
    guard now == history[place] else {
      Issue.record(
        "seed \(seed), step \(place) of \(history.count), \(manager.undoCount) \(manager.redoCount): \(now.difference(from: history[place]))"
      )
      throw Failure()
    }
    guard saves, Int.random(in: 0..<3, using: &generator) == 0 else { return }
    try context.save()
    let stored = try snapshot(store.context())
    guard stored == history[place] else {
      Issue.record("seed \(seed), stored step \(place): \(stored.difference(from: history[place]))")
      throw Failure()
    }
  }

  // MARK: Editing

  private mutating func any<T: PersistentModel>(_ type: T.Type) throws -> T? {
    try context.fetch(FetchDescriptor<T>()).sorted { "\($0.persistentModelID)" < "\($1.persistentModelID)" }
      .randomElement(using: &generator)
  }

  private mutating func name() -> String {
    count += 1
    return "\(count)"
  }

  private mutating func edit() throws {
    switch Int.random(in: 0..<16, using: &generator) {
    case 0, 1: context.insert(Artist(name(), studio: try any(Studio.self)))
    case 2: context.insert(Studio(name()))
    case 3: context.insert(Group(name()))
    case 4, 5: context.insert(Work(name(), artist: try any(Artist.self)))
    case 6: try any(Artist.self)?.age += 1
    case 7: try any(Artist.self)?.tags.append(name())
    case 8: try any(Artist.self)?.address = Address(city: name(), zip: count)
    case 9: try any(Artist.self)?.studio = Bool.random(using: &generator) ? try any(Studio.self) : nil
    case 10: try any(Artist.self)?.works.shuffle(using: &generator)
    case 11: try moveWork()
    case 12: try changeGroup()
    case 13: try any(Studio.self)?.artists.shuffle(using: &generator)
    case 14: try any(Artist.self)?.portrait = Data(repeating: UInt8(count % 256), count: count % 2 * 150_000)
    default: try delete()
    }
  }

  private mutating func moveWork() throws {
    guard let work = try any(Work.self), let artist = try any(Artist.self) else { return }
    let place = Int.random(in: 0...artist.works.count, using: &generator)
    if artist.works.contains(where: { $0 === work }) {
      work.artist = nil
    } else {
      artist.works.insert(work, at: place)
    }
  }

  private mutating func changeGroup() throws {
    guard let group = try any(Group.self), let artist = try any(Artist.self) else { return }
    if let place = group.members.firstIndex(where: { $0 === artist }) {
      group.members.remove(at: place)
    } else if Bool.random(using: &generator) {
      artist.groups.insert(group, at: 0)
    } else {
      group.members.append(artist)
    }
  }

  private mutating func delete() throws {
    switch Int.random(in: 0..<4, using: &generator) {
    case 0: if let artist = try any(Artist.self) { context.delete(artist) }
    case 1: if let studio = try any(Studio.self) { context.delete(studio) }
    case 2: if let group = try any(Group.self) { context.delete(group) }
    default: if let work = try any(Work.self) { context.delete(work) }
    }
  }

  // MARK: Comparing

  private func snapshot(_ context: ModelContext) throws -> [String] {
    let artists = try context.fetch(FetchDescriptor<Artist>()).map { artist in
      let address = artist.address.map { "\($0.city) \($0.zip)" } ?? "-"
      return "artist \(artist.name) \(artist.age) \(artist.tags) \(address) \(artist.portrait?.count ?? -1) "
        + "\(artist.portrait?.first ?? 0) in \(artist.studio?.name ?? "-") "
        + "works \(artist.works.map(\.title)) groups \(artist.groups.map(\.name))"
    }
    let studios = try context.fetch(FetchDescriptor<Studio>()).map { "studio \($0.name) \($0.artists.map(\.name))" }
    let groups = try context.fetch(FetchDescriptor<Group>()).map { "group \($0.name) \($0.members.map(\.name))" }
    let works = try context.fetch(FetchDescriptor<Work>()).map { "work \($0.title) of \($0.artist?.name ?? "-")" }
    return (artists + studios + groups + works).sorted()
  }
}
