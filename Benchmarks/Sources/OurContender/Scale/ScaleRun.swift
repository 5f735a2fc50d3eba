import BenchmarkCore
import Foundation
import OpenSwiftData

/// Runs operations of the command `scale` by the library, with its public API only.
public struct ScaleRun: Sendable {
  let plan: ScalePlan
  let file: URL

  /// - Parameter folder: The folder of the store. All operations with the same number of rows use one store.
  public init(rows: Int, in folder: URL) {
    (plan, file) = (ScalePlan(rows: rows), folder.appending(path: "scale.store"))
  }

  /// Runs an operation, and measures it.
  /// - Returns: The number of rows or operations in the sample.
  public func run(_ operation: ScaleOperation, _ stopwatch: ScaleStopwatch) async throws -> Int {
    switch operation {
    case .insert, .open, .migrate, .restore: try await runWithFile(operation, stopwatch)
    case .check, .backup, .observe: try await runAsynchronously(operation, container(), stopwatch)
    case .saveOne, .update, .deleteObjects, .deleteWhere: try change(operation, warmContainer(), stopwatch)
    default: try read(operation, warmContainer(), stopwatch)
    }
  }

  private func runWithFile(_ operation: ScaleOperation, _ stopwatch: ScaleStopwatch) async throws -> Int {
    switch operation {
    case .insert: try insert(stopwatch)
    case .open: try open(stopwatch)
    case .migrate: try migrate(stopwatch)
    default: try await restore(stopwatch)
    }
  }

  func container() throws -> ModelContainer {
    try ModelContainer(for: Schema(versionedSchema: ScaleFirst.self), configurations: ModelConfiguration(url: file))
  }

  /// A container that has run a query, so that the measured operation does not open the file.
  private func warmContainer() throws -> ModelContainer {
    let container = try container()
    _ = try ModelContext(container).fetch(Self.readings(0..<1))
    return container
  }

  /// The readings whose numbers are in the range, in the order of these numbers.
  static func readings(_ range: Range<Int>, limit: Int? = nil) -> FetchDescriptor<Reading> {
    let (lower, upper) = (range.lowerBound, range.upperBound)
    var descriptor = FetchDescriptor<Reading>(
      predicate: #Predicate { $0.number >= lower && $0.number < upper }, sortBy: [SortDescriptor(\.number)])
    descriptor.fetchLimit = limit
    return descriptor
  }
}

extension ScaleRun {
  /// Inserts stations with their readings, each batch in a context of its own. In a single context, all objects would
  /// stay in memory, because a station and its readings refer to each other (decision 2).
  private func insert(_ stopwatch: ScaleStopwatch) throws -> Int {
    Self.remove(file)
    let container = try container()
    try stopwatch.measure {
      for start in stride(from: 0, to: plan.rows, by: plan.batch) {
        let context = ModelContext(container)
        insert(start..<min(plan.rows, start + plan.batch), in: context)
        try context.save()
      }
    }
    try ScaleError.check(.insert, ModelContext(container).fetchCount(FetchDescriptor<Reading>()), is: plan.rows)
    return plan.rows
  }

  private func insert(_ rows: Range<Int>, in context: ModelContext) {
    for start in stride(from: rows.lowerBound, to: rows.upperBound, by: plan.readingsOfEach) {
      let station = Station(number: start / plan.readingsOfEach)
      context.insert(station)
      for row in start..<start + plan.readingsOfEach {
        context.insert(Reading(number: row, code: plan.code(of: row), level: plan.level(of: row), station: station))
      }
    }
  }

  private func open(_ stopwatch: ScaleStopwatch) throws -> Int {
    let openings = 100
    try stopwatch.measure {
      for _ in 0..<openings {
        let found = try ModelContext(container()).fetch(Self.readings(0..<1)).count
        try ScaleError.check(.open, found, is: 1)
      }
    }
    return openings
  }

  private func migrate(_ stopwatch: ScaleStopwatch) throws -> Int {
    let container = try stopwatch.measure {
      try ModelContainer(for: Schema(versionedSchema: ScaleSecond.self), configurations: ModelConfiguration(url: file))
    }
    let new = FetchDescriptor<ScaleSecond.Reading>(predicate: #Predicate { $0.grade == 3 })
    let count = try ModelContext(container).fetchCount(new)
    try ScaleError.check(.migrate, count, is: plan.rows - 2 * plan.share)
    return 1
  }

  /// Restores the backup into a new file. Both files are removed.
  private func restore(_ stopwatch: ScaleStopwatch) async throws -> Int {
    let restored = file.appendingPathExtension("restored")
    defer { Self.remove(restored) }
    try await stopwatch.measureAsync { try await ModelContainer.restore(from: backupFile, to: restored) }
    let container = try ModelContainer(
      for: Schema(versionedSchema: ScaleFirst.self), configurations: ModelConfiguration(url: restored))
    let count = try ModelContext(container).fetchCount(FetchDescriptor<Reading>())
    Self.remove(backupFile)
    return count
  }

  static func remove(_ store: URL) {
    for end in ["", "-wal", "-shm"] { try? FileManager.default.removeItem(atPath: store.path + end) }
  }

  var backupFile: URL { file.appendingPathExtension("backup") }
}
