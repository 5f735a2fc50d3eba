import OpenSwiftData
import SeededNumbers
import Testing

/// Runs random operations in two contexts, and compares the results of observers with fetches after most steps.
///
/// `OSD_SOAK` multiplies the number of runs; `OSD_SEED` repeats a run.
@Suite("Observation of random changes", .serialized)
struct RandomObservationTests {
  @Test("the results of every observer equal the results of a fetch after random steps", arguments: Engine.allCases)
  func random(_ engine: Engine) throws {
    for seed in RandomTesting.seeds(RandomTesting.soak) {
      RandomTesting.note("steps of observed contexts", RandomRun.steps)
      do {
        try RandomRun(engine, seed: seed).doEverything()
      } catch is Failure {
        // The comparison that failed has already recorded the issue.
        return
      } catch {
        Issue.record("seed \(seed): \(error)")
        return
      }
    }
  }
}

private final class RandomRun {
  static let steps = 250

  private let seed: UInt64
  private var step = 0
  private let store: TestStore
  private var generator: SeededGenerator
  /// The first context has the observers. The second one only changes and saves.
  private let contexts: [ModelContext]
  private let clubs: [ResultsObserver<Club, Never>]
  private let footballers: [ResultsObserver<Footballer, Never>]
  private let cities: ResultsObserver<Club, String>
  private var next = 0

  init(_ engine: Engine, seed: UInt64) throws {
    self.seed = seed
    store = try TestStore.clubs(engine, "a", "b", "c")
    generator = SeededGenerator(seed: seed)
    contexts = [store.context(), store.context()]
    let context = contexts[0]
    if Bool.random(using: &generator) { context.undoManager = UndoManager() }
    var window = FetchDescriptor<Club>(sortBy: [SortDescriptor(\.rank, order: .reverse)])
    (window.fetchLimit, window.fetchOffset) = (3, 1)
    var saved = FetchDescriptor<Club>(predicate: #Predicate { $0.rank > 0 })
    saved.includePendingChanges = false
    let descriptors: [FetchDescriptor<Club>] = [
      FetchDescriptor(), window, saved, FetchDescriptor(predicate: #Predicate { $0.city == "x" && $0.rank < 3 }),
      FetchDescriptor(predicate: #Predicate { club in club.footballers.contains { $0.goals > 2 } }),
      FetchDescriptor(predicate: #Predicate { $0.footballers.count > 1 }, sortBy: [SortDescriptor(\.name)]),
      FetchDescriptor(predicate: #Predicate { club in club.patrons.contains { $0.budget > 2 } }),
      FetchDescriptor(sortBy: [SortDescriptor(\.initial), SortDescriptor(\.rank)]),
      FetchDescriptor(
        predicate: #Predicate { $0.notes.isEmpty }, sortBy: [SortDescriptor(\.city), SortDescriptor(\.name)]),
    ]
    clubs = try descriptors.map { try ResultsObserver(fetchDescriptor: $0, modelContext: context) }
    footballers = try [
      FetchDescriptor<Footballer>(sortBy: [SortDescriptor(\.club?.rank), SortDescriptor(\.name)]),
      FetchDescriptor<Footballer>(predicate: #Predicate { $0.club?.city == "x" || $0.club == nil }),
      FetchDescriptor<Footballer>(predicate: #Predicate { ($0.club?.footballers.count ?? 0) > 2 }),
    ].map { try ResultsObserver(fetchDescriptor: $0, modelContext: context) }
    cities = try ResultsObserver(sortBy: [SortDescriptor(\.name)], sectionBy: \.city, modelContext: context)
  }

  func doEverything() throws {
    for step in 0..<Self.steps {
      self.step = step
      try doSomething()
      // One step in four is not followed by a comparison, so that the next comparison covers several steps.
      if number(0..<4) > 0 { try compare() }
    }
    try compare()
  }

  // MARK: Steps

  private func number(_ range: Range<Int>) -> Int { Int.random(in: range, using: &generator) }

  private func doSomething() throws {
    let context = contexts[number(0..<2)]
    let kind = number(0..<100)
    switch kind {
    case 0..<22: try insert(context)
    case 22..<55: try change(context)
    case 55..<67: try delete(context)
    case 67..<80: try save(context)
    case 80..<85: context.rollback()
    case 85..<90: try transaction(context)
    case 90..<94: undo()
    case 94..<97: try batchDelete(context)
    default: for observer in clubs { _ = observer.names }
    }
  }

  private func some<T: PersistentModel>(_ type: T.Type, _ context: ModelContext) throws -> T? {
    try context.fetch(FetchDescriptor<T>()).randomElement(using: &generator)
  }

  private func name() -> String {
    next += 1
    return ["a", "b", "e\u{301}", ""][number(0..<4)] + "\(next)"
  }

  private func city() -> String? { ["x", "y", "", nil][number(0..<4)] }

  private func insert(_ context: ModelContext) throws {
    switch number(0..<5) {
    case 0...1: context.insert(Club(name(), city: city(), rank: number(-2..<6)))
    case 2...3: context.insert(Footballer(name(), goals: number(0..<5), club: try some(Club.self, context)))
    default:
      let patron = Patron(name(), budget: number(0..<5))
      context.insert(patron)
      if let club = try some(Club.self, context) { patron.clubs.append(club) }
    }
  }

  private func change(_ context: ModelContext) throws {
    switch number(0..<10) {
    case 0: try some(Club.self, context)?.name = name()
    case 1: try some(Club.self, context)?.city = city()
    case 2...3: try some(Club.self, context)?.rank = number(-2..<6)
    case 4: try some(Club.self, context)?.notes = ["", "n"][number(0..<2)]
    case 5: try some(Footballer.self, context)?.goals = number(0..<5)
    case 6: try some(Footballer.self, context)?.club = try some(Club.self, context)
    case 7: try some(Patron.self, context)?.budget = number(0..<5)
    case 8:
      let club = try some(Club.self, context)
      if let footballer = try some(Footballer.self, context) { club?.footballers.append(footballer) }
    default: try changePatrons(context)
    }
  }

  private func changePatrons(_ context: ModelContext) throws {
    let (club, patron) = (try some(Club.self, context), try some(Patron.self, context))
    guard let club, let patron else { return }
    if let index = club.patrons.firstIndex(where: { $0 === patron }) {
      club.patrons.remove(at: index)
    } else {
      club.patrons.append(patron)
    }
  }

  private func delete(_ context: ModelContext) throws {
    switch number(0..<3) {
    case 0: if let club = try some(Club.self, context) { context.delete(club) }
    case 1: if let footballer = try some(Footballer.self, context) { context.delete(footballer) }
    default: if let patron = try some(Patron.self, context) { context.delete(patron) }
    }
  }

  private func batchDelete(_ context: ModelContext) throws {
    let rank = number(-2..<6)
    try context.delete(model: Club.self, where: #Predicate { $0.rank == rank })
  }

  /// Saves a context, or rolls its changes back if they cannot be saved.
  ///
  /// They cannot be saved if undo has restored a reference to a model that has since been deleted or moved to another
  /// context.
  private func save(_ context: ModelContext) throws {
    do {
      try context.save()
    } catch let error as SwiftDataError where Self.isRefusal(error) {
      context.rollback()
    }
  }

  private static func isRefusal(_ error: SwiftDataError) -> Bool {
    error == .modelValidationFailure || error == .modelOfAnotherContext
  }

  private func transaction(_ context: ModelContext) throws {
    let (throwing, saving) = (number(0..<2) == 0, number(0..<2) == 0)
    do {
      try context.transaction {
        try insert(context)
        try change(context)
        if saving { try context.save() }
        try delete(context)
        if number(0..<2) == 0 { _ = clubs.map(\.results.count) }
        if throwing { throw Failure() }
      }
    } catch is Failure {
    } catch let error as SwiftDataError where Self.isRefusal(error) {
      context.rollback()
    }
  }

  private func undo() {
    guard let manager = contexts[0].undoManager else { return }
    if number(0..<3) > 0 {
      if manager.canUndo { manager.undo() }
    } else if manager.canRedo {
      manager.redo()
    }
  }

  // MARK: Comparing

  private func compare() throws {
    let context = contexts[0]
    for (index, observer) in clubs.enumerated() {
      let results = observer.results
      try check(results, try context.fetch(observer.fetchDescriptor), "observer \(index) of clubs")
    }
    for (index, observer) in footballers.enumerated() {
      let results = observer.results
      try check(results, try context.fetch(observer.fetchDescriptor), "observer \(index) of footballers")
    }
    let sections = try #require(cities.sections)
    let groups = Dictionary(grouping: try context.fetch(cities.fetchDescriptor)) { $0.city ?? "" }
    try check(Set(sections.sectionTitles) == Set(groups.keys), "titles are \(sections.sectionTitles)")
    for section in sections {
      let group = groups[section.title] ?? []
      try check(section.elementsEqual(group, by: ===), "section \(section.title) is its group")
    }
  }

  private func check<T: PersistentModel>(_ results: FetchResultsCollection<T>, _ fetched: [T], _ name: String) throws {
    try check(results.elementsEqual(fetched, by: ===), "\(name) has \(results.count) models, not \(fetched.count)")
  }

  private func check(_ condition: Bool, _ rule: String) throws {
    guard !condition else { return }
    Issue.record("\(rule): seed \(seed), step \(step)")
    throw Failure()
  }
}
