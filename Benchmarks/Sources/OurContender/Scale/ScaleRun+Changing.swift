import BenchmarkCore
import Foundation
import OpenSwiftData

extension ScaleRun {
  /// Operations that change or delete rows. Each one uses a context of its own.
  func change(_ operation: ScaleOperation, _ container: ModelContainer, _ stopwatch: ScaleStopwatch) throws -> Int {
    let context = ModelContext(container)
    switch operation {
    case .saveOne:
      _ = try saveOne(ModelContext(container), ScaleStopwatch())
      return try saveOne(context, stopwatch)
    case .deleteWhere: return try deleteWhere(context, stopwatch)
    case .deleteObjects: return try deleteObjects(context, stopwatch)
    default:
      let changed = try inBatches(of: plan.rows / 2, context, stopwatch) { $0.level += 1 }
      try ScaleError.check(.update, changed, is: plan.share)
      return changed
    }
  }

  /// Changes scattered rows, each in a save of its own. The rows are fetched before the measurement.
  private func saveOne(_ context: ModelContext, _ stopwatch: ScaleStopwatch) throws -> Int {
    let numbers = plan.scattered(plan.saves, below: plan.rows)
    let readings = try numbers.flatMap { try context.fetch(Self.readings($0..<$0 + 1)) }
    try ScaleError.check(.saveOne, readings.count, is: numbers.count)
    try stopwatch.measure {
      for reading in readings {
        reading.value += 1
        try context.save()
      }
    }
    return readings.count
  }

  /// Changes a hundredth of the rows, from a given number on, in batches.
  private func inBatches(
    of start: Int, _ context: ModelContext, _ stopwatch: ScaleStopwatch, _ change: (Reading) -> Void
  ) throws -> Int {
    let end = start + plan.share
    return try stopwatch.measure {
      try stride(from: start, to: end, by: plan.range).reduce(0) { sum, lower in
        let readings = try context.fetch(Self.readings(lower..<min(end, lower + plan.range)))
        readings.forEach(change)
        try context.save()
        return sum + readings.count
      }
    }
  }

  /// Deletes the first hundredth of the rows. An interrupted run may have deleted some of them.
  private func deleteObjects(_ context: ModelContext, _ stopwatch: ScaleStopwatch) throws -> Int {
    let deleted = try inBatches(of: 0, context, stopwatch) { context.delete($0) }
    try ScaleError.check(.deleteObjects, context.fetchCount(Self.readings(0..<plan.share)), is: 0)
    return deleted
  }

  /// Deletes the second hundredth of the rows.
  private func deleteWhere(_ context: ModelContext, _ stopwatch: ScaleStopwatch) throws -> Int {
    let (lower, upper) = (plan.share, 2 * plan.share)
    try stopwatch.measure {
      try context.delete(model: Reading.self, where: #Predicate { $0.number >= lower && $0.number < upper })
      try context.save()
    }
    try ScaleError.check(.deleteWhere, context.fetchCount(Self.readings(0..<upper)), is: 0)
    return plan.share
  }
}

extension ScaleRun {
  /// Operations that the library runs asynchronously.
  func runAsynchronously(
    _ operation: ScaleOperation, _ container: ModelContainer, _ stopwatch: ScaleStopwatch
  ) async throws -> Int {
    switch operation {
    case .check:
      let problems = try await stopwatch.measureAsync { try await container.check() }
      try ScaleError.check(.check, problems.count, is: 0)
      return plan.rows
    case .backup:
      Self.remove(backupFile)
      try await stopwatch.measureAsync { try await container.backup(to: backupFile) }
      return plan.rows
    default:
      return try await observe(container, stopwatch)
    }
  }

  /// Changes a row of a live query with 20 rows, and waits until the query delivers the change.
  private func observe(_ container: ModelContainer, _ stopwatch: ScaleStopwatch) async throws -> Int {
    let (changes, start) = (100, plan.rows / 3)
    let database = ModelDatabase(modelContainer: container)
    guard let reading = try await database.fetch(Self.readings(start..<start + 1)).first else {
      throw ScaleError.wrongResult(.observe, expected: 1, found: 0)
    }
    var results = database.values(of: Self.readings(start..<start + plan.limit)).makeAsyncIterator()
    var level = try await results.next()?.first?.level ?? 0
    // The first time fills the page cache, as for the operations that read.
    for watch in [ScaleStopwatch(), stopwatch] {
      try await watch.measureAsync {
        for _ in 0..<changes {
          try await database.update(reading) { $0.level += 1 }
          level += 1
          while try await results.next()?.first?.level != level {}
        }
      }
    }
    return changes
  }
}
