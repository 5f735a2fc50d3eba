import BenchmarkCore
import Foundation
import SwiftData

/// The situations that save single fields of items, by the library.
struct OurItemSituations {
  private let container: ModelContainer

  init(_ container: ModelContainer) {
    self.container = container
  }

  /// Each context is released before the next one is created.
  func shortContexts(_ plan: SituationPlan, _ stopwatch: Stopwatch) throws -> Int {
    let identifiers = try ModelContext(container).fetchIdentifiers(FetchDescriptor<Item>())
    let chosen = plan.scattered(plan.contexts).map { identifiers[$0] }
    try stopwatch.measure {
      for identifier in chosen {
        let context = ModelContext(container)
        guard let item = context.model(for: identifier) as? Item else { continue }
        item.score += 1
        try context.save()
      }
    }
    return try checksum()
  }

  /// The look-up at the end does not read the store for its own result: it makes the second context take in the changes.
  func secondContext(_ plan: SituationPlan, _ stopwatch: Stopwatch) throws -> Int {
    let (context, second) = (ModelContext(container), ModelContext(container))
    let (items, others) = (try context.fetch(.first(plan.saves)), try second.fetch(.first(plan.saves)))
    let sum = try stopwatch.measure {
      for item in items {
        item.score += 1
        try context.save()
      }
      let _: Item? = second.registeredModel(for: items[0].persistentModelID)
      return others.reduce(0) { $0 + $1.score }
    }
    return try checksum() &+ Int(sum)
  }

  func manyRegistered(_ plan: SituationPlan, _ stopwatch: Stopwatch) throws -> Int {
    let context = ModelContext(container)
    let items = try context.fetch(.first(plan.rows))
    let positions = plan.scattered(plan.saves)
    try withExtendedLifetime(items) {
      try stopwatch.measure {
        for position in positions {
          items[position].score += 1
          try context.save()
        }
      }
    }
    return try checksum()
  }

  func readThreeProperties(_ stopwatch: Stopwatch) throws -> Int {
    try OurSession(container).readThreeFields(stopwatch)
  }

  /// The undo manager keeps a step for each save. That it can undo is checked after the measurement.
  func changesWithUndo(_ plan: SituationPlan, _ stopwatch: Stopwatch) throws -> Int {
    let context = ModelContext(container)
    let manager = UndoManager()
    context.undoManager = manager
    let items = try context.fetch(.first(plan.undoable))
    try stopwatch.measure {
      for _ in 0..<plan.undoableSaves {
        for item in items { item.score += 1 }
        try context.save()
      }
    }
    let sum = try checksum()
    try checkUndo(manager, of: items, plan)
    return sum
  }

  /// Throws unless the manager undoes each of the saves on its own.
  private func checkUndo(_ manager: UndoManager, of items: [Item], _ plan: SituationPlan) throws {
    let expected = items.map { $0.score - Double(plan.undoableSaves) }
    for _ in 0..<plan.undoableSaves { manager.undo() }
    guard items.map(\.score) == expected, !manager.canUndo else {
      throw SituationError.notDone(.undo, reason: "the undo manager did not undo \(plan.undoableSaves) saves")
    }
  }

  /// Each reader has a context of its own, and so has the writer.
  func readersAndWriter(_ plan: SituationPlan, _ stopwatch: Stopwatch) throws -> Int {
    let (container, limit) = (container, plan.items.limit)
    let before = try sumOfScores()
    let (sum, saves) = try ReadersAndWriter.run(plan, stopwatch) {
      let context = ModelContext(container)
      return { range in
        let (lower, upper) = (range.lowerBound, range.upperBound)
        var descriptor = FetchDescriptor<Item>(
          predicate: #Predicate { $0.count >= lower && $0.count < upper }, sortBy: [SortDescriptor(\.count)])
        descriptor.fetchLimit = limit
        return try context.fetch(descriptor).reduce(0) { $0 &+ Checksum.ofUnchangedFields($1) }
      }
    } makeWriter: {
      let context = ModelContext(container)
      let items = try context.fetch(.first(plan.saves))
      var turn = 0
      return {
        items[turn % items.count].score += 1
        turn += 1
        try context.save()
      }
    }
    return try sum &+ Int(sumOfScores() - before) &- saves
  }

  private func sumOfScores() throws -> Double {
    try ModelContext(container).fetch(FetchDescriptor<Item>()).reduce(0) { $0 + $1.score }
  }

  private func checksum() throws -> Int {
    Checksum.ofAll(try ModelContext(container).fetch(FetchDescriptor<Item>()))
  }
}

extension FetchDescriptor<Item> {
  /// The first rows in the order of their keys.
  fileprivate static func first(_ count: Int) -> FetchDescriptor<Item> {
    var descriptor = FetchDescriptor<Item>()
    descriptor.fetchLimit = count
    return descriptor
  }
}
