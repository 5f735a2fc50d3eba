import Foundation
import PersistenceRuntime
import PersistenceSupport

extension _PersistenceRuntime {
  /// Reports the progress of a migration, as Foundation's `Progress` and as an asynchronous sequence. Ours.
  ///
  /// ```swift
  /// let progress = ModelContainer.MigrationProgress()
  /// configuration.migrationProgress = progress
  /// Task { for await update in progress.updates { print(update) } }
  /// let container = try ModelContainer(for: schema, migrationPlan: TripsPlan.self, configurations: configuration)
  /// ```
  ///
  /// If the program cancels ``progress``, the migration is rolled back, and opening the container throws
  /// `SwiftDataError.migrationFailed`. Thread-safe.
  public final class MigrationProgress: Hashable, @unchecked Sendable {
    // Unchecked: `Progress` is documented as thread-safe, but not Sendable on every platform. A lock guards the rest.

    /// The state of the migration at one time.
    public struct Update: Sendable, Hashable, CustomStringConvertible {
      /// The completed fraction, from 0 to 1.
      public let fraction: Double
      /// The number of rows that the migration has processed, in all stages together.
      public let rows: Int
      /// The name of the current stage. It consists of the names of the two versions.
      public let stage: String
      /// The number of the current stage, from 1.
      public let stageNumber: Int
      /// The number of stages.
      public let stageCount: Int

      /// The progress in one line, for logs.
      public var description: String {
        "\(Int(fraction * 100)) %, stage \(stageNumber) of \(stageCount) (\(stage)), \(rows) rows"
      }
    }

    /// The progress as Foundation's `Progress`, with 1,000 units. It may be a child of another `Progress`.
    public let progress: Progress

    private struct State {
      var isFinished = false
      var last: Update?
      var listeners: [AsyncStream<Update>.Continuation] = []
    }

    private let state = Lock(State())

    /// Creates a progress. Set it as the `migrationProgress` of a configuration.
    public init() {
      progress = Progress(parent: nil)
      progress.totalUnitCount = 1_000
    }

    /// Creates a progress that is a child of the `Progress` that is current on the thread.
    init(inCurrent: Void) {
      progress = Progress(totalUnitCount: 1_000)
    }

    /// A sequence of the latest update and all later ones. It ends when the store is open, or when opening has failed.
    public var updates: AsyncStream<Update> {
      AsyncStream(bufferingPolicy: .bufferingNewest(64)) { continuation in
        state.withLock { state in
          if let last = state.last { continuation.yield(last) }
          if state.isFinished { continuation.finish() } else { state.listeners.append(continuation) }
        }
      }
    }

    func report(_ update: Update) {
      progress.completedUnitCount = Int64((update.fraction * 1_000).rounded())
      state.withLock { state in
        state.last = update
        for listener in state.listeners { listener.yield(update) }
      }
    }

    /// Ends the sequences of updates.
    package func finish() {
      let listeners = state.withLock { state in
        state.isFinished = true
        defer { state.listeners = [] }
        return state.listeners
      }
      for listener in listeners { listener.finish() }
    }

    public static func == (lhs: MigrationProgress, rhs: MigrationProgress) -> Bool { lhs === rhs }

    public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
  }
}

/// Counts the rows that a migration processes, and reports its progress. Only used on the thread of the migration.
package final class MigrationReporter {
  private let progress: MigrationProgress?
  private let stageCount: Int
  private var stage = ""
  private var stageNumber = 0
  private var rows = 0
  private var done = 0
  private var expected = 1

  package init(_ progress: MigrationProgress?, stageCount: Int) {
    self.progress = progress ?? (Progress.current() == nil ? nil : MigrationProgress(inCurrent: ()))
    self.stageCount = stageCount
  }

  package func begin(stage: String, number: Int) {
    (self.stage, stageNumber, done, expected) = (stage, number, 0, 1)
    report()
  }

  /// Sets the approximate number of rows that the stage processes.
  package func expect(_ rows: Int) { expected = max(1, rows) }

  /// Reports that rows were processed.
  ///
  /// - Throws: `SwiftDataError.migrationFailed` if the migration was cancelled.
  package func advance(_ rows: Int, outOf estimate: Int? = nil) throws {
    self.rows += rows
    done += estimate ?? rows
    report()
    guard progress?.progress.isCancelled == true else { return }
    throw SwiftDataError(.migrationFailed, "the migration was cancelled")
  }

  /// Reports that all stages are complete.
  package func complete() {
    (stageNumber, done, expected) = (stageCount, 1, 1)
    report()
  }

  private func report() {
    guard let progress else { return }
    let part = min(1, Double(done) / Double(expected))
    progress.report(
      MigrationProgress.Update(
        fraction: (Double(max(0, stageNumber - 1)) + part) / Double(max(1, stageCount)), rows: rows, stage: stage,
        stageNumber: stageNumber, stageCount: stageCount))
  }
}
