import Foundation
import PersistenceRuntime
import PersistenceSupport

extension _PersistenceRuntime {
  /// Hears how far a migration is: through Foundation's `Progress`, and as a sequence. Ours, not Apple's.
  ///
  /// ```swift
  /// let progress = ModelContainer.MigrationProgress()
  /// configuration.migrationProgress = progress
  /// Task { for await update in progress.updates { print(update) } }
  /// let container = try ModelContainer(for: schema, migrationPlan: TripsPlan.self, configurations: configuration)
  /// ```
  ///
  /// Any thread may use it. Cancelling ``progress`` undoes the migration, and opening the container throws.
  public final class MigrationProgress: Hashable, @unchecked Sendable {
    // Unchecked, because `Progress` is not Sendable as a type everywhere; it is documented to be safe to use from any
    // thread. The rest is behind a lock.

    /// How far the migration is.
    public struct Update: Sendable, Hashable, CustomStringConvertible {
      /// From 0 to 1.
      public let fraction: Double
      /// How many rows have been gone over so far, in all stages.
      public let rows: Int
      /// The stage, by the names of its two versions.
      public let stage: String
      /// The number of the stage, from 1.
      public let stageNumber: Int
      public let stageCount: Int

      public var description: String {
        "\(Int(fraction * 100)) %, stage \(stageNumber) of \(stageCount) (\(stage)), \(rows) rows"
      }
    }

    /// The same for whoever waits for several things. Its unit is a thousandth of the migration.
    public let progress: Progress

    private struct State {
      var isFinished = false
      var last: Update?
      var listeners: [AsyncStream<Update>.Continuation] = []
    }

    private let state = Lock(State())

    /// Makes one that nobody waits for yet.
    public init() {
      progress = Progress(parent: nil)
      progress.totalUnitCount = 1_000
    }

    /// Takes part in the progress that the thread has made current.
    init(inCurrent: Void) {
      progress = Progress(totalUnitCount: 1_000)
    }

    /// What happens from now on, after what happened last; ends when the store has been opened, or could not be.
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

    /// Tells that no update follows.
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

/// Counts what a migration has done. Used by the thread that migrates.
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

  /// Says how many rows the operations of the stage will go over, about.
  package func expect(_ rows: Int) { expected = max(1, rows) }

  /// Notes rows that were gone over.
  ///
  /// - Throws: `SwiftDataError.migrationFailed` when the migration was cancelled.
  package func advance(_ rows: Int, outOf estimate: Int? = nil) throws {
    self.rows += rows
    done += estimate ?? rows
    report()
    guard progress?.progress.isCancelled == true else { return }
    throw SwiftDataError(.migrationFailed, "the migration was cancelled")
  }

  /// Tells that the migration is done.
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
