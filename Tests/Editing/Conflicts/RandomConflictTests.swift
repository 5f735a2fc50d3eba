import ConformanceSupport
import SwiftData
import Testing

/// Several contexts change the age of random rows. Every new age is unique, so that a lost update can be detected.
private struct ChangingRun {
  /// One context, the artists that it has fetched, and for each artist the age before its unsaved change.
  private final class Writer {
    let context: ModelContext
    var artists: [Artist]
    var replaced: [Int?]

    init(_ context: ModelContext) throws {
      self.context = context
      context.conflictPolicy = .throwError
      artists = try context.fetch(FetchDescriptor<Artist>(sortBy: [SortDescriptor(\.name)]))
      replaced = artists.map { _ in nil }
    }
  }

  private let store: TestStore
  private let foreign: ModelContainer?
  private var random: SeededGenerator
  private var writers: [Writer] = []
  /// The ages that the store should contain, by row.
  private var expected: [Int]
  private var lastValue = 0
  private(set) var conflicts = 0
  private(set) var saves = 0

  init(_ engine: Engine, seed: UInt64) throws {
    store = try TestStore.studios(engine)
    random = SeededGenerator(seed: seed)
    let context = store.context()
    for name in ["a", "b", "c"] { context.insert(Artist(name, age: 0)) }
    try context.save()
    expected = [0, 0, 0]
    foreign = engine.persists ? try engine.container(for: store.schema, store.configuration) : nil
    for _ in 0..<3 { writers.append(try Writer(store.context())) }
    if let foreign { for _ in 0..<2 { writers.append(try Writer(ModelContext(foreign))) } }
  }

  mutating func step() throws {
    let place = Int.random(in: 0..<writers.count, using: &random)
    let writer = writers[place]
    switch Int.random(in: 0..<16, using: &random) {
    case 0..<5: change(writer)
    case 5..<9:
      change(writer)
      try save(writer)
    case 9, 10: try save(writer)
    case 11: _ = try writer.context.fetchCount(FetchDescriptor<Group>())
    case 12: _ = try writer.context.fetch(FetchDescriptor<Artist>())
    case 13: try inTransaction(writer)
    case 14:
      writer.context.rollback()
      writer.replaced = writer.replaced.map { _ in nil }
    default:
      writers[place] = try Writer(ModelContext(writer.context.container))
    }
  }

  private mutating func change(_ writer: Writer) {
    let row = Int.random(in: 0..<expected.count, using: &random)
    if writer.replaced[row] == nil { writer.replaced[row] = writer.artists[row].age }
    lastValue += 1
    writer.artists[row].age = lastValue
    if Bool.random(using: &random) { writer.artists[(row + 1) % expected.count].score += 1 }
  }

  /// Updates the expected ages after a save. Throws if the save overwrote an age that another context had saved and
  /// that this context had not read.
  private mutating func acknowledge(_ writer: Writer) throws {
    saves += 1
    for (row, old) in writer.replaced.enumerated() {
      guard let old else { continue }
      guard old == expected[row] else { throw LostUpdate(description: "\(expected[row]) of \(row), by one of \(old)") }
      expected[row] = writer.artists[row].age
    }
    writer.replaced = writer.replaced.map { _ in nil }
  }

  private mutating func save(_ writer: Writer) throws {
    do {
      try writer.context.save()
    } catch SwiftDataError.conflictingChanges {
      conflicts += 1
      writer.context.rollback()
      writer.replaced = writer.replaced.map { _ in nil }
      return
    }
    try acknowledge(writer)
  }

  private mutating func inTransaction(_ writer: Writer) throws {
    let isUndone = Bool.random(using: &random)
    let before = writer.replaced
    do {
      try writer.context.transaction {
        change(writer)
        try writer.context.save()
        if isUndone { throw Failure() }
        change(writer)
      }
    } catch is Failure {
      writer.replaced = before
      return
    } catch SwiftDataError.conflictingChanges {
      conflicts += 1
      writer.replaced = before
      return
    }
    try acknowledge(writer)
  }

  func compare() throws {
    let stored = try store.context().fetch(FetchDescriptor<Artist>(sortBy: [SortDescriptor(\.name)])).map(\.age)
    guard stored == expected else {
      throw LostUpdate(description: "\(stored) is stored, and \(expected) was acknowledged")
    }
  }
}

private struct LostUpdate: Error, CustomStringConvertible {
  let description: String
}

/// `OSD_SOAK` multiplies the number of steps; `OSD_SEED` repeats a run.
@Suite("Rows that several contexts change at random", .timeLimit(.minutes(10)))
struct RandomConflictTests {
  @Test(
    "no save overwrites an unread change of another context, regardless of the changes that the context has applied",
    arguments: Engine.randomCases)
  func changes(_ engine: Engine) throws {
    let seed = RandomTesting.seed
    do {
      var run = try ChangingRun(engine, seed: seed)
      for step in 0..<(600 * RandomTesting.soak) {
        try run.step()
        if step.isMultiple(of: 20) { try run.compare() }
      }
      try run.compare()
      RandomTesting.note("steps of contexts that change the same rows", 600 * RandomTesting.soak)
      #expect(run.conflicts > 0 && run.saves > 0)
    } catch {
      Issue.record("seed \(seed): \(error)")
    }
  }
}
