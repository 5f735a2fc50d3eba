import BenchmarkCore
import Foundation
import OpenSwiftData

/// Measures the time of a write and of a short read while other tasks continuously search all rows of the same
/// database.
public struct ReaderTrial: Sendable {
  /// The measurements with a given number of searching tasks.
  public struct Result: Sendable {
    public let readers: Int
    /// The number of completed searches of all rows.
    public let searches: Int
    public let write: Latencies
    public let read: Latencies
  }

  private let database: ModelDatabase
  private let probe: Model<Item>

  /// Creates a store with this number of rows.
  public init(rows: Int, in file: URL) async throws {
    let container = try ModelContainer(for: Item.self, configurations: .withoutHistory(file))
    let plan = WorkPlan(rows: rows)
    try await container.read { context in
      for values in plan.makeItems() { context.insert(Item(values)) }
      try context.save()
    }
    database = ModelDatabase(modelContainer: container)
    let database = database
    probe = try await database.fetch(Self.first)[0]
  }

  private static var first: FetchDescriptor<Item> {
    var descriptor = FetchDescriptor<Item>()
    descriptor.fetchLimit = 1
    return descriptor
  }

  /// Measures for the given time, while `readers` tasks search concurrently.
  public func run(readers: Int, for duration: Duration) async throws -> Result {
    let end = ContinuousClock.now + duration
    let (database, probe) = (database, probe)
    async let searches = Self.search(database, readers: readers, until: end)
    async let write = Self.measure(until: end) { try await database.update(probe) { $0.count += 1 } }
    async let read = Self.measure(until: end) { _ = try await database.get(probe) { $0.count } }
    return try await Result(readers: readers, searches: searches, write: write, read: read)
  }

  private static func search(_ database: ModelDatabase, readers: Int, until end: ContinuousClock.Instant) async throws
    -> Int
  {
    try await withThrowingTaskGroup(of: Int.self) { group in
      for _ in 0..<readers {
        group.addTask {
          var searches = 0
          while ContinuousClock.now < end {
            _ = try await database.count(FetchDescriptor<Item>(predicate: #Predicate { $0.title.contains("nowhere") }))
            searches += 1
          }
          return searches
        }
      }
      return try await group.reduce(0, +)
    }
  }

  /// Runs the operation every few milliseconds, like a program that is mostly idle, and records how long it takes.
  private static func measure(
    until end: ContinuousClock.Instant, _ operation: @Sendable () async throws -> Void
  ) async throws -> Latencies {
    var times: [Double] = []
    while ContinuousClock.now < end {
      let time = try await ContinuousClock().measure { try await operation() }
      times.append(time / .milliseconds(1))
      try await Task.sleep(for: .milliseconds(5))
    }
    return Latencies(times)
  }
}
