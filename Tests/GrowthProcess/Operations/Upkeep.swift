import Dispatch
import SwiftData
import Synchronization

extension Operation {
  static let upkeep = [
    Operation(
      name: "check", count: 1_000, prepare: prepareCheck,
      run: { world, _ in
        let container = world.container
        try waiting { guard try await container.check().isEmpty else { throw Failure() } }
      }),
    Operation(
      name: "check and repair", count: 1_000, prepare: prepareCheck,
      run: { world, _ in
        let container = world.container
        try waiting { guard try await container.check(repairing: true).isEmpty else { throw Failure() } }
      }),
    Operation(
      name: "back up", count: 1_000, prepare: { world, count in try world.items(count) },
      run: { world, _ in
        let (container, copy) = (world.container, world.url.appendingPathExtension("copy"))
        try waiting { try await container.backup(to: copy) }
        try FileManager.default.removeItem(at: copy)
      }),
    Operation(
      name: "restore", count: 1_000, needsFile: true, prepare: { world, count in try world.items(count) },
      run: { world, _ in
        let container = world.container
        let (copy, other) = (world.url.appendingPathExtension("copy"), world.url.appendingPathExtension("other"))
        try waiting {
          try await container.backup(to: copy)
          try await ModelContainer.restore(from: copy, to: other)
        }
        for file in [copy, other] { try FileManager.default.removeItem(at: file) }
      }),
    Operation(
      name: "copy", count: 1_000, prepare: prepareCheck,
      run: { world, _ in
        let (container, copy) = (world.container, world.url.appendingPathExtension("copy"))
        try waiting { try await container.copy(to: ModelConfiguration(url: copy)) }
        try FileManager.default.removeItem(at: copy)
      }),
  ]

  /// Saves only few rows with relationships, because the context keeps some bytes for each such row until it reads the
  /// row again.
  private static let prepareCheck: @Sendable (World, Int) throws -> Void = { world, count in
    try world.items(count)
    try world.shelves(count / 50, books: 4)
  }

  /// Runs an asynchronous function in a task, and blocks this thread until the function returns.
  static func waiting(_ body: @escaping @Sendable () async throws -> Void) throws {
    let (done, task) = (DispatchSemaphore(value: 0), WaitingTask())
    task.run(body, done)
    done.wait()
    try task.result()
  }
}

/// The result of the task that ``waiting(_:)`` starts.
private final class WaitingTask: Sendable {
  private let outcome = Mutex<Result<Void, any Error>>(.success(()))

  func run(_ body: @escaping @Sendable () async throws -> Void, _ done: DispatchSemaphore) {
    Task.detached { [self] in
      do {
        try await body()
      } catch {
        outcome.withLock { $0 = .failure(error) }
      }
      done.signal()
    }
  }

  func result() throws { try outcome.withLock { try $0.get() } }
}
