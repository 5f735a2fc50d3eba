import ConformanceSupport
import SwiftData
import Testing

/// Counters that several contexts raise at random, each from what it has read.
private struct CounterRun {
  /// One context, with the artists that it read once and how much it raised each without having saved it.
  private final class Writer {
    let context: ModelContext
    var artists: [Artist]
    var raised: [Int]

    init(_ context: ModelContext) throws {
      self.context = context
      context.conflictPolicy = .throwError
      artists = try context.fetch(FetchDescriptor<Artist>(sortBy: [SortDescriptor(\.name)]))
      raised = artists.map { _ in 0 }
    }
  }

  private let store: TestStore
  private let foreign: ModelContainer?
  private var random: SeededGenerator
  private var writers: [Writer] = []
  private var expected: [Int]
  private(set) var conflicts = 0
  private(set) var saves = 0

  init(_ engine: Engine, seed: UInt64) throws {
    store = try TestStore.studios(engine)
    random = SeededGenerator(seed: seed)
    let context = store.context()
    for name in ["a", "b", "c"] { context.insert(Artist(name, age: 0)) }
    try context.save()
    expected = [0, 0, 0]
    foreign =
      engine == .file ? try ModelContainer(for: store.schema, configurations: [store.configuration]) : nil
    for _ in 0..<3 { writers.append(try Writer(store.context())) }
    if let foreign { for _ in 0..<2 { writers.append(try Writer(ModelContext(foreign))) } }
  }

  mutating func step() throws {
    let place = Int.random(in: 0..<writers.count, using: &random)
    let writer = writers[place]
    switch Int.random(in: 0..<16, using: &random) {
    case 0..<5: raise(writer)
    case 5..<9:
      raise(writer)
      try save(writer)
    case 9, 10: try save(writer)
    case 11: _ = try writer.context.fetchCount(FetchDescriptor<Group>())
    case 12: _ = try writer.context.fetch(FetchDescriptor<Artist>())
    case 13: try inTransaction(writer)
    case 14:
      writer.context.rollback()
      writer.raised = writer.raised.map { _ in 0 }
    default:
      guard writer.raised.allSatisfy({ $0 == 0 }) else { return }
      writers[place] = try Writer(ModelContext(writer.context.container))
    }
  }

  private mutating func raise(_ writer: Writer) {
    let row = Int.random(in: 0..<expected.count, using: &random)
    writer.artists[row].age += 1
    writer.raised[row] += 1
    if Bool.random(using: &random) { writer.artists[(row + 1) % expected.count].score += 1 }
  }

  private mutating func save(_ writer: Writer) throws {
    do {
      try writer.context.save()
      saves += 1
      for row in expected.indices { expected[row] += writer.raised[row] }
    } catch SwiftDataError.conflictingChanges {
      conflicts += 1
      writer.context.rollback()
    }
    writer.raised = writer.raised.map { _ in 0 }
  }

  private mutating func inTransaction(_ writer: Writer) throws {
    let isUndone = Bool.random(using: &random)
    let before = writer.raised
    do {
      try writer.context.transaction {
        raise(writer)
        try writer.context.save()
        if isUndone { throw Failure() }
        raise(writer)
      }
      saves += 1
      for row in expected.indices { expected[row] += writer.raised[row] }
      writer.raised = writer.raised.map { _ in 0 }
    } catch is Failure {
      writer.raised = before
    } catch SwiftDataError.conflictingChanges {
      conflicts += 1
      writer.raised = before
    }
  }

  func compare() throws {
    let stored = try store.context().fetch(FetchDescriptor<Artist>(sortBy: [SortDescriptor(\.name)])).map(\.age)
    guard stored == expected else {
      Issue.record("an update was lost: \(stored) is stored, and \(expected) was acknowledged")
      throw Failure()
    }
  }
}

/// `OSD_SOAK` makes it last longer, `OSD_SEED` repeats it.
@Suite("Counters that several contexts raise at random", .timeLimit(.minutes(10)))
struct RandomConflictTests {
  @Test("lose no update, whatever each has heard of when it saves", arguments: Engine.allCases)
  func counters(_ engine: Engine) throws {
    let seed = RandomTesting.seed
    do {
      var run = try CounterRun(engine, seed: seed)
      for step in 0..<(1_500 * RandomTesting.soak) {
        try run.step()
        if step.isMultiple(of: 50) { try run.compare() }
      }
      try run.compare()
      #expect(run.conflicts > 0 && run.saves > 0)
    } catch is Failure {
      Issue.record("with the seed \(seed)")
    } catch {
      Issue.record("seed \(seed): \(error)")
    }
  }
}
