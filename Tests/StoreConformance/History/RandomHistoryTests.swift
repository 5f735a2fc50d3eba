import ConformanceSupport
import OpenSwiftData
import Testing

/// After each save, the test compares all rows with the rows before the save. The history of the save must list exactly
/// the rows and properties that differ.
@Suite("The history of random saves")
struct RandomHistoryTests {
  @Test(
    "the history of each save lists exactly the changed rows and properties", arguments: Engine.randomCases, [1, 2])
  func random(_ engine: Engine, contexts: Int) throws {
    for seed in RandomTesting.seeds(RandomTesting.soak) {
      let steps = 250
      RandomTesting.note("steps with a history", steps)
      var run = try HistoryRun(engine, seed: seed, contexts: contexts)
      do {
        for step in 0..<steps { try run.doSomething(step) }
        try run.finish()
      } catch is Failure {
        // The issue is already recorded.
        return
      }
    }
  }
}

/// The rows of a store. The outer key consists of entity and primary key, and the inner key is the property. References
/// are primary keys.
private typealias Rows = [String: [String: String]]

private struct HistoryRun {
  private let engine: Engine
  private let seed: UInt64
  private let store: TestStore
  private let contexts: [ModelContext]
  private var random: SeededGenerator
  private var step = 0
  private var before: Rows = [:]
  private var token: DefaultHistoryToken?
  private var count = 0

  init(_ engine: Engine, seed: UInt64, contexts count: Int) throws {
    self.engine = engine
    self.seed = seed
    random = SeededGenerator(seed: seed)
    store = try TestStore(engine, [Voyage.self, Leg.self, Guide.self], history: .standard)
    contexts = (0..<count).map { [store] _ in store.context() }
  }

  mutating func doSomething(_ step: Int) throws {
    self.step = step
    let context = contexts.randomElement(using: &random) ?? contexts[0]
    let voyages = try context.fetch(FetchDescriptor<Voyage>(sortBy: [SortDescriptor(\.name)]))
    let legs = try context.fetch(FetchDescriptor<Leg>(sortBy: [SortDescriptor(\.place)]))
    let guides = try context.fetch(FetchDescriptor<Guide>(sortBy: [SortDescriptor(\.name)]))
    let voyage = voyages.randomElement(using: &random)
    let leg = legs.randomElement(using: &random)
    let guide = guides.randomElement(using: &random)
    switch Int.random(in: 0..<20, using: &random) {
    case 0, 1: context.insert(Voyage("v\(Int.random(in: 0..<30, using: &random))", title: "t\(step)", number: step))
    case 2, 3: context.insert(Leg("l\(step)", voyage: voyage))
    case 4: context.insert(Guide("g\(step)"))
    case 5: voyage?.price = Double(Int.random(in: 0..<3, using: &random))
    case 6: voyage?.title = Bool.random(using: &random) ? nil : "t\(Int.random(in: 0..<3, using: &random))"
    case 7: leg?.voyage = voyage
    case 8: leg?.first = guide
    case 9: leg?.second = guide
    case 10: leg?.days = Int.random(in: 0..<3, using: &random)
    case 11: if let guide { voyage?.guides.append(guide) }
    case 12: voyage.map(context.delete)
    case 13: guide.map(context.delete)
    case 14: leg.map(context.delete)
    case 15:
      let limit = Int.random(in: 0..<step + 1, using: &random)
      if Int.random(in: 0..<4, using: &random) == 0 {
        try context.delete(model: Voyage.self, where: #Predicate { $0.number < limit && $0.price > 1 })
      } else if let name = guide?.name {
        try context.delete(model: Guide.self, where: #Predicate { $0.name == name })
      }
    case 16: context.rollback()
    default: try save(context)
    }
  }

  mutating func finish() throws {
    for context in contexts { try save(context) }
    let all = try contexts[0].fetchHistory(HistoryDescriptor<DefaultHistoryTransaction>())
    try expect(all.count == count, "\(all.count) transactions instead of \(count)")
    let numbers = all.map(\.transactionIdentifier)
    // With a single writer, the next transaction reuses the ID of a rolled-back one, so the IDs have no gaps. With
    // several writers, the ID is not reused.
    let dense = Array(Array(1...Int64(max(1, count))).prefix(count))
    let expected = engine.has(.singleWriter) ? dense : Set(numbers).sorted()
    try expect(numbers == expected, "numbers")
  }

  private mutating func save(_ context: ModelContext) throws {
    context.author = "step \(step)"
    do {
      try Int.random(in: 0..<4, using: &random) == 0 ? undoing(context) : context.save()
    } catch SwiftDataError.modelValidationFailure {
      // The save threw because a model has a required reference to a deleted model. Nothing may be saved or recorded.
      context.rollback()
    }
    let after = try rows()
    let transactions = try news()
    count += transactions.count
    try expect(transactions.count <= 1, "\(transactions.count) transactions of one save")
    try compare(transactions.first?.changes ?? [], after)
    try expect(transactions.allSatisfy { $0.author == "step \(step)" && !$0.followsGap }, "author or gap")
    before = after
  }

  /// Saves inside a transaction, after a nested transaction that saved and was rolled back.
  private func undoing(_ context: ModelContext) throws {
    try context.transaction {
      try? context.transaction {
        context.insert(Guide("undone"))
        try context.save()
        throw Failure()
      }
    }
  }

  private mutating func news() throws -> [DefaultHistoryTransaction] {
    var descriptor = HistoryDescriptor<DefaultHistoryTransaction>()
    if let token { descriptor.predicate = #Predicate { $0.token > token } }
    let transactions = try contexts[0].fetchHistory(descriptor)
    token = transactions.last?.token ?? token
    return transactions
  }

  private func compare(_ changes: [HistoryChange], _ after: Rows) throws {
    var (inserted, deleted): (Set<String>, Set<String>) = ([], [])
    var updated: [String: Set<String>] = [:]
    for change in changes {
      let identifier = change.changedPersistentIdentifier
      let row = "\(identifier.entityName) \(key(identifier))"
      switch change {
      case .insert: try expect(inserted.insert(row).inserted, "\(row) is inserted twice")
      case .delete(let deletion):
        try expect(deleted.insert(row).inserted, "\(row) is deleted twice")
        try compare(deletion, row)
      case .update(let update):
        try expect(updated[row] == nil, "\(row) is changed twice")
        updated[row] = Set(properties(update))
      }
    }
    let (old, new) = (Set(before.keys), Set(after.keys))
    try expect(inserted == new.subtracting(old), "inserted \(inserted), not \(new.subtracting(old))")
    try expect(deleted == old.subtracting(new), "deleted \(deleted), not \(old.subtracting(new))")
    for row in old.intersection(new) {
      let (former, present) = (before[row] ?? [:], after[row] ?? [:])
      let real = Set(present.keys.filter { former[$0] != present[$0] })
      let told = (updated[row] ?? []).subtracting(["legs", "guides", "voyages"])
      // If no other context saves, the save knows the old values and records only properties whose value changed. It
      // records every property that it wrote if other contexts may have saved, or if an upsert updated the row.
      let isAlone = contexts.count == 1 && engine != .remote && engine.has(.singleWriter)
      let isExact = isAlone && !told.contains("name")
      try expect(isExact ? told == real : told.isSuperset(of: real), "\(row) has \(told), and changed \(real)")
    }
    for row in updated.keys {
      try expect(old.contains(row) && new.contains(row), "\(row) is changed, and is not there")
    }
  }

  private func compare(_ deletion: any HistoryDelete, _ row: String) throws {
    if let voyage = deletion as? DefaultHistoryDelete<Voyage> {
      let title = (voyage.tombstone[\.title] as? String) ?? "nil"
      try expect(title == before[row]?["title"], "\(row) was \(before[row]?["title"] ?? "-"), and not \(title)")
    } else if let leg = deletion as? DefaultHistoryDelete<Leg> {
      let place = (leg.tombstone[\.place] as? String) ?? "nil"
      try expect(place == before[row]?["place"], "\(row) was \(before[row]?["place"] ?? "-"), and not \(place)")
    }
  }

  private func rows() throws -> Rows {
    let context = store.context()
    var rows: Rows = [:]
    func name(_ model: some PersistentModel) -> String {
      "\(model.persistentModelID.entityName) \(key(model.persistentModelID))"
    }
    func reference<T: PersistentModel>(_ model: T?) -> String { model.map(name) ?? "nil" }
    for voyage in try context.fetch(FetchDescriptor<Voyage>()) {
      rows[name(voyage)] = [
        "name": voyage.name, "title": voyage.title ?? "nil", "number": "\(voyage.number)", "price": "\(voyage.price)",
      ]
    }
    for leg in try context.fetch(FetchDescriptor<Leg>()) {
      rows[name(leg)] = [
        "place": leg.place, "days": "\(leg.days)", "voyage": reference(leg.voyage), "first": reference(leg.first),
        "second": reference(leg.second),
      ]
    }
    for guide in try context.fetch(FetchDescriptor<Guide>()) { rows[name(guide)] = ["name": guide.name] }
    return rows
  }

  private func expect(_ condition: Bool, _ words: @autoclosure () -> String) throws {
    guard !condition else { return }
    Issue.record("seed \(seed), step \(step): \(words())")
    throw Failure()
  }
}
