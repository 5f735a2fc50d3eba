import ConformanceSupport
import SwiftData
import Testing

/// Contexts insert, relate, change and delete objects at random, while other contexts delete the same rows.
private struct LifeRun {
  /// One context, and all objects that it has fetched or inserted.
  private final class Member {
    let context: ModelContext
    var artists: [Artist] = []
    var works: [Work] = []
    var groups: [Group] = []
    var studios: [Studio] = []

    init(_ context: ModelContext) throws {
      self.context = context
      try meet()
    }

    func meet() throws {
      artists = try met(artists)
      works = try met(works)
      groups = try met(groups)
      studios = try met(studios)
    }

    private func met<T: PersistentModel>(_ known: [T]) throws -> [T] {
      known + (try context.fetch(FetchDescriptor<T>())).filter { model in !known.contains { $0 === model } }
    }
  }

  private let store: TestStore
  private let foreign: ModelContainer?
  private var random: SeededGenerator
  private var members: [Member] = []
  private var names = 0

  init(_ engine: Engine, seed: UInt64) throws {
    store = try TestStore.studios(engine)
    random = SeededGenerator(seed: seed)
    foreign = engine == .file ? try ModelContainer(for: store.schema, configurations: [store.configuration]) : nil
    for _ in 0..<3 { members.append(try Member(store.context())) }
    if let foreign { members.append(try Member(ModelContext(foreign))) }
  }

  private func any<T: PersistentModel>(_ models: [T], _ random: inout SeededGenerator) -> T? {
    models.filter { !$0.isDeleted }.randomElement(using: &random)
  }

  private mutating func name() -> String {
    names += 1
    return "\(names)"
  }

  mutating func step() throws {
    guard let member = members.randomElement(using: &random) else { return }
    switch Int.random(in: 0..<20, using: &random) {
    case 0..<11: change(member)
    case 11: try transaction(member)
    case 12, 13: try member.meet()
    case 14: _ = try member.context.fetchCount(FetchDescriptor<Group>())
    case 15: if Int.random(in: 0..<5, using: &random) == 0 { member.context.rollback() }
    case 16: if Int.random(in: 0..<8, using: &random) == 0 { try store.container.erase() }
    default: try member.context.save()
    }
  }

  private mutating func transaction(_ member: Member) throws {
    let isUndone = Bool.random(using: &random)
    do {
      try member.context.transaction {
        for _ in 0..<3 { change(member) }
        try member.context.save()
        change(member)
        if isUndone { throw Failure() }
      }
    } catch is Failure {}
  }

  private mutating func change(_ member: Member) {
    let context = member.context
    let artist = any(member.artists, &random)
    switch Int.random(in: 0..<12, using: &random) {
    case 0, 1:
      let artist = Artist(name(), studio: any(member.studios, &random))
      context.insert(artist)
      member.artists.append(artist)
    case 2:
      let group = Group(name())
      context.insert(group)
      member.groups.append(group)
    case 3:
      let studio = Studio(name())
      context.insert(studio)
      member.studios.append(studio)
    case 4:
      let work = Work(name(), artist: artist)
      context.insert(work)
      member.works.append(work)
    case 5: if let artist { context.delete(artist) }
    case 6: if let studio = any(member.studios, &random) { context.delete(studio) }
    case 7: artist?.age = Int.random(in: 0..<100, using: &random)
    case 8: any(member.works, &random)?.artist = artist
    case 9: artist?.studio = any(member.studios, &random)
    case 10:
      guard let artist, let group = any(member.groups, &random) else { return }
      if let place = group.members.firstIndex(of: artist) {
        group.members.remove(at: place)
      } else {
        group.members.append(artist)
      }
    default:
      if let work = any(member.works, &random), let artist, !artist.works.contains(work) { artist.works.append(work) }
    }
  }

  // MARK: Final comparison

  /// Saves all contexts and makes each of them apply the changes of the others. Then compares their objects with the
  /// objects that a new context fetches.
  mutating func compare() throws {
    for member in members { try member.context.save() }
    let fresh = store.context()
    let artists = try byName(fresh.fetch(FetchDescriptor<Artist>()), \.name)
    let works = try byName(fresh.fetch(FetchDescriptor<Work>()), \.title)
    let groups = try byName(fresh.fetch(FetchDescriptor<Group>()), \.name)
    let studios = try byName(fresh.fetch(FetchDescriptor<Studio>()), \.name)
    for member in members {
      try member.meet()
      try check(!member.context.hasChanges, "changes are left")
      try compare(member.artists, artists, \.name) { describe($0) }
      try compare(member.works, works, \.title) { "\($0.year) \($0.artist?.name ?? "-")" }
      try compare(member.groups, groups, \.name) { "\($0.members.map(\.name).sorted())" }
      try compare(member.studios, studios, \.name) { "\($0.artists.map(\.name).sorted())" }
    }
  }

  private func describe(_ artist: Artist) -> String {
    "\(artist.age) \(artist.studio?.name ?? "-") \(artist.works.map(\.title).sorted()) "
      + "\(artist.groups.map(\.name).sorted())"
  }

  private func byName<T>(_ models: [T], _ name: (T) -> String) -> [String: T] {
    Dictionary(models.map { (name($0), $0) }) { first, _ in first }
  }

  private func compare<T: PersistentModel>(
    _ known: [T], _ stored: [String: T], _ name: (T) -> String, _ describe: (T) -> String
  ) throws {
    // If the insertion of an object was undone before a save, the object belongs to no context and is not compared.
    for model in known where model.modelContext != nil || model.isDeleted {
      let words = "\(T.self) \(name(model))"
      guard let other = stored[name(model)] else {
        try check(model.isDeleted, "\(words) is gone and does not say so")
        continue
      }
      try check(!model.isDeleted, "\(words) is there and says that it is deleted")
      try check(describe(model) == describe(other), "\(words) is \(describe(model)), but \(describe(other)) is stored")
    }
    let living = Set(known.lazy.filter { !$0.isDeleted && $0.modelContext != nil }.map(name))
    try check(living == Set(stored.keys), "\(T.self): \(living.symmetricDifference(stored.keys)) are on one side alone")
  }

  private func check(_ isSo: Bool, _ words: @autoclosure () -> String) throws {
    if !isSo { throw Difference(description: words()) }
  }

  private struct Difference: Error, CustomStringConvertible {
    let description: String
  }
}

/// `OSD_SOAK` multiplies the number of runs; `OSD_SEED` repeats a run.
@Suite("Contexts that relate models while other contexts delete them", .timeLimit(.minutes(10)))
struct RandomLifeTests {
  @Test(
    "every save succeeds, and each context equals the store once it has applied the changes of the others",
    arguments: Engine.randomCases)
  func life(_ engine: Engine) throws {
    for seed in RandomTesting.seeds(8 * RandomTesting.soak) {
      do {
        var run = try LifeRun(engine, seed: seed)
        for _ in 0..<3 {
          for _ in 0..<40 { try run.step() }
          try run.compare()
        }
        RandomTesting.note("steps of contexts that relate what others delete", 120)
      } catch {
        Issue.record("seed \(seed): \(error)")
      }
    }
  }
}
