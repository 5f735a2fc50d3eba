import BenchmarkCore
import Foundation
import OpenSwiftData

extension ScaleRun {
  /// Operations that read. Each one uses a context of its own.
  ///
  /// Operations that read a fixed number of rows run twice, and the second run is measured. Otherwise their times would
  /// grow because SQLite finds fewer pages in its cache, and not because of their own work.
  func read(_ operation: ScaleOperation, _ container: ModelContainer, _ stopwatch: ScaleStopwatch) throws -> Int {
    if operation.growth == .constant { _ = try read(operation, in: ModelContext(container), ScaleStopwatch()) }
    return try read(operation, in: ModelContext(container), stopwatch)
  }

  private func read(_ operation: ScaleOperation, in context: ModelContext, _ stopwatch: ScaleStopwatch) throws -> Int {
    switch operation {
    case .fetchByIndex: return try fetchByIndex(context, stopwatch)
    case .lookUp: return try lookUp(context, stopwatch)
    case .countRange, .identifiers, .values: return try readRanges(operation, context, stopwatch)
    case .toMany: return try toMany(context, stopwatch)
    case .history, .historyBackwards: return try history(operation, context, stopwatch)
    case .scan, .sort: return try search(operation, context, stopwatch)
    default: return try readAll(operation, context, stopwatch)
    }
  }

  private func fetchByIndex(_ context: ModelContext, _ stopwatch: ScaleStopwatch) throws -> Int {
    let starts = plan.scattered(1_000, below: plan.rows - plan.range)
    let found = try stopwatch.measure {
      try starts.reduce(0) { sum, start in
        sum + (try context.fetch(Self.readings(start..<start + plan.range, limit: plan.limit)).count)
      }
    }
    try ScaleError.check(.fetchByIndex, found, is: starts.count * plan.limit)
    return starts.count
  }

  /// The identifiers of scattered rows are fetched before the measurement, and no object is registered.
  private func lookUp(_ context: ModelContext, _ stopwatch: ScaleStopwatch) throws -> Int {
    let numbers = plan.scattered(1_000, below: plan.rows)
    let identifiers = try numbers.flatMap {
      try ModelContext(context.container).fetchIdentifiers(Self.readings($0..<$0 + 1))
    }
    let sum = stopwatch.measure {
      identifiers.reduce(0) { $0 &+ ((context.model(for: $1) as? Reading)?.number ?? 0) }
    }
    try ScaleError.check(.lookUp, sum, is: numbers.reduce(0, +))
    return numbers.count
  }

  private func readRanges(
    _ operation: ScaleOperation, _ context: ModelContext, _ stopwatch: ScaleStopwatch
  ) throws -> Int {
    let starts = plan.scattered(50, below: plan.rows - plan.range)
    let found = try stopwatch.measure {
      try starts.reduce(0) { sum, start in
        let descriptor = Self.readings(start..<start + plan.range)
        switch operation {
        case .countRange: return sum + (try context.fetchCount(descriptor))
        case .identifiers: return sum + (try context.fetchIdentifiers(descriptor).count)
        default: return sum + (try context.fetchValues(descriptor).count)
        }
      }
    }
    try ScaleError.check(operation, found, is: starts.count * plan.range)
    return starts.count
  }

  private func toMany(_ context: ModelContext, _ stopwatch: ScaleStopwatch) throws -> Int {
    let numbers = plan.scattered(200, below: plan.rows / plan.readingsOfEach)
    let sum = try stopwatch.measure {
      try numbers.reduce(0) { sum, number in
        let descriptor = FetchDescriptor<Station>(predicate: #Predicate { $0.number == number })
        return try context.fetch(descriptor).flatMap(\.readings).reduce(sum) { $0 + $1.level }
      }
    }
    try ScaleError.check(.toMany, sum, is: numbers.count * 99 * 50)
    return numbers.count
  }

  /// Reads the ten newest transactions: those after a token, or the first ten of all in reverse order.
  private func history(
    _ operation: ScaleOperation, _ context: ModelContext, _ stopwatch: ScaleStopwatch
  ) throws -> Int {
    var descriptor = HistoryDescriptor<DefaultHistoryTransaction>(
      sortBy: [SortDescriptor(\.transactionIdentifier, order: .reverse)])
    if operation == .history {
      let token = try tokenBeforeTheLast10(context)
      descriptor = HistoryDescriptor(predicate: #Predicate { $0.token > token })
    }
    descriptor.fetchLimit = 10
    let reads = operation == .history ? 100 : 5
    let found = try stopwatch.measure {
      try (0..<reads).reduce(0) { sum, _ in try context.fetchHistory(descriptor).reduce(sum) { $0 + $1.changes.count } }
    }
    try ScaleError.check(operation, found, is: reads * 10)
    return reads
  }

  /// The token of the transaction before the last ten. Its number is computed, because a fetch in reverse order would
  /// read the whole history: each batch of the insertion is a transaction, and so is each of the single saves.
  private func tokenBeforeTheLast10(_ context: ModelContext) throws -> DefaultHistoryToken {
    let number = Int64(plan.rows / plan.batch + 2 * plan.saves - 10)
    let descriptor = HistoryDescriptor<DefaultHistoryTransaction>(
      predicate: #Predicate { $0.transactionIdentifier == number })
    guard let transaction = try context.fetchHistory(descriptor).first else {
      throw ScaleError.wrongResult(.history, expected: Int(number), found: 0)
    }
    return transaction.token
  }

  private func search(
    _ operation: ScaleOperation, _ context: ModelContext, _ stopwatch: ScaleStopwatch
  ) throws -> Int {
    var descriptor = FetchDescriptor<Reading>(predicate: #Predicate { $0.code < 10 })
    if operation == .sort {
      descriptor = FetchDescriptor(sortBy: [SortDescriptor(\.code)])
      descriptor.fetchLimit = plan.limit
    }
    let found = try stopwatch.measure { try context.fetch(descriptor) }
    let count = operation == .sort ? plan.limit : 10
    try ScaleError.check(operation, found.reduce(0) { $0 + $1.code }, is: count * (count - 1) / 2)
    return plan.rows
  }
}

extension ScaleRun {
  /// Operations that read all rows. The sum of all codes shows that they have read them.
  private func readAll(
    _ operation: ScaleOperation, _ context: ModelContext, _ stopwatch: ScaleStopwatch
  ) throws -> Int {
    let sum = try stopwatch.measure {
      switch operation {
      case .countAll: try context.fetchCount(FetchDescriptor<Reading>())
      case .aggregate: try aggregate(context)
      case .group:
        try context.grouped(by: \Reading.level, .count, .sum(of: \.code)).reduce(0) { $0 + $1.values.1 }
      case .enumerate: try enumerate(context)
      default:
        try context.fetch(FetchDescriptor<Reading>(), batchSize: plan.range).reduce(0) { $0 + $1.code }
      }
    }
    let expected = operation == .countAll ? plan.rows : plan.rows * (plan.rows - 1) / 2
    try ScaleError.check(operation, sum, is: expected)
    return plan.rows
  }

  private func aggregate(_ context: ModelContext) throws -> Int {
    let (sum, highest, average) = try context.aggregate(
      Reading.self, .sum(of: \.code), .max(of: \.code), .average(of: \.level))
    try ScaleError.check(.aggregate, highest ?? 0, is: plan.rows - 1)
    try ScaleError.check(.aggregate, Int((average ?? 0) * 2), is: 99)
    return sum
  }

  private func enumerate(_ context: ModelContext) throws -> Int {
    var sum = 0
    try context.enumerate(FetchDescriptor<Reading>(), batchSize: plan.batch) { sum += $0.code }
    return sum
  }
}
