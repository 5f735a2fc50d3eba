import Dispatch
import SwiftData
import Testing

@ModelActor private actor Worker {
  private(set) var order: [String] = []

  func block(until semaphore: DispatchSemaphore, _ begun: Flag) {
    begun.raise()
    semaphore.wait()
  }

  func note(_ text: String) { order.append(text) }

  func add(_ name: String) throws {
    modelContext.insert(Trip(name))
    try modelContext.save()
  }

  /// Reads the days, suspends, reads them again, and saves the next day. Other calls of the actor run during the
  /// suspension.
  func addDay(to name: String, pausing: @Sendable () async -> Void) async throws -> (before: Int, after: Int) {
    let trip = try modelContext.trip(name)
    let before = trip.days
    await pausing()
    let after = trip.days
    trip.days = after + 1
    try modelContext.save()
    return (before, after)
  }

  func rename(_ name: String, to other: String) async throws {
    let trip = try modelContext.trip(name)
    trip.name = other
    await Task.yield()
    try modelContext.save()
  }

  func hop(_ depth: Int, by other: Worker) async throws -> Int {
    guard depth > 0 else { return try modelContext.fetchCount(FetchDescriptor<Trip>()) }
    modelContext.insert(Trip("\(depth)"))
    try modelContext.save()
    return try await other.hop(depth - 1, by: self)
  }
}

extension Worker {
  /// The number of jobs that wait in the queue of the executor.
  fileprivate nonisolated var waitingJobCount: Int {
    (modelExecutor as? DefaultSerialModelExecutor)?.waitingJobCount ?? 0
  }
}

@Suite("Actors and their jobs", .timeLimit(.minutes(10)))
struct SchedulingTests {
  @Test("waiting jobs run in the order of their priorities")
  func priority() async throws {
    let store = try TestStore(.memory)
    let worker = Worker(modelContainer: store.container)
    let (gate, begun, asked) = (DispatchSemaphore(value: 0), Flag(), Log<Int>())
    Task { await worker.block(until: gate, begun) }
    #expect(await eventually { begun.isRaised })
    for number in 0..<20 {
      // The test does not await these tasks, because this would raise their priority.
      Task(priority: number.isMultiple(of: 2) ? .background : .high) {
        asked.add(number)
        await worker.note(Task.basePriority == .background ? "low" : "high")
      }
    }
    #expect(await eventually { asked.entries.count == 20 && worker.waitingJobCount == 20 })
    gate.signal()
    #expect(await eventually { await worker.order.count == 20 })
    let order = await worker.order
    #expect(order.prefix(10) == Array(repeating: "high", count: 10)[...])
  }

  @Test("waiting jobs of equal priority run in the order of their arrival")
  func order() async throws {
    let store = try TestStore(.memory)
    let worker = Worker(modelContainer: store.container)
    let (gate, begun) = (DispatchSemaphore(value: 0), Flag())
    Task { await worker.block(until: gate, begun) }
    #expect(await eventually { begun.isRaised })
    for number in 0..<20 {
      let asked = Flag()
      Task(priority: .medium) {
        asked.raise()
        await worker.note("\(number)")
      }
      #expect(await eventually { asked.isRaised && worker.waitingJobCount == number + 1 })
    }
    gate.signal()
    #expect(await eventually { await worker.order.count == 20 })
    #expect(await worker.order == (0..<20).map(String.init))
  }

  @Test("calls that interleave between reading and saving lose no change", arguments: Engine.allCases)
  func reentrancy(_ engine: Engine) async throws {
    let store = try TestStore(engine)
    try store.save("Oslo")
    let worker = Worker(modelContainer: store.container)
    let days = try await worker.addDay(to: "Oslo") {
      _ = try? await worker.addDay(to: "Oslo") {}
      try? await worker.rename("Oslo", to: "Bergen")
    }
    #expect(days == (1, 2))
    #expect(try store.context().trip("Bergen").days == 3)
  }

  @Test("many calls that suspend between reading and saving lose no change", arguments: Engine.allCases)
  func manyReentrant(_ engine: Engine) async throws {
    let store = try TestStore(engine)
    try store.save("Oslo")
    let worker = Worker(modelContainer: store.container)
    try await withThrowingTaskGroup(of: Void.self) { group in
      for _ in 0..<100 { group.addTask { _ = try await worker.addDay(to: "Oslo") { await Task.yield() } } }
      try await group.waitForAll()
    }
    #expect(try store.context().trip("Oslo").days == 101)
  }

  @Test("actors may call each other in deeply nested calls", arguments: Engine.allCases)
  func hops(_ engine: Engine) async throws {
    let store = try TestStore(engine)
    let one = Worker(modelContainer: store.container)
    let other = Worker(modelContainer: store.container)
    #expect(try await one.hop(400, by: other) == 400)
  }

  @Test("a thousand actors share a container", arguments: Engine.sqlite)
  func thousand(_ engine: Engine) async throws {
    let folder = try SharedFolder()
    var configuration =
      engine == .file
      ? ModelConfiguration(schema: Schema(tripModels), url: URL(filePath: folder.path))
      : ModelConfiguration(schema: Schema(tripModels), isStoredInMemoryOnly: true)
    // A thousand actors write one after another. The last of them waits longer than the default busy timeout.
    configuration.busyTimeout = .seconds(120)
    let container = try ModelContainer(for: Schema(tripModels), configurations: configuration)
    let workers = (0..<1_000).map { _ in Worker(modelContainer: container) }
    try await withThrowingTaskGroup(of: Void.self) { group in
      for (number, worker) in workers.enumerated() { group.addTask { try await worker.add("\(number)") } }
      try await group.waitForAll()
    }
    let names = try ModelContext(container).fetch(FetchDescriptor<Trip>()).map(\.name)
    #expect(Set(names).count == 1_000)
  }
}
