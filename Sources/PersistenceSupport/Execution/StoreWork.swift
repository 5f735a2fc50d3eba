import Foundation

/// A long operation on a store. The store's engine reports progress to it and checks for cancellation.
///
/// Unchecked: `Progress` is not Sendable on every platform, but documented as thread-safe.
package final class StoreWork: @unchecked Sendable {
  /// The units of each store in the progress.
  private static let units: Int64 = 1_000

  private let progress: Progress
  private let start: Int64

  /// - Parameters:
  ///   - progress: Has units for all stores of the operation.
  ///   - index: The number of the store, from 0.
  ///   - count: The number of stores.
  package init(_ progress: Progress, store index: Int = 0, of count: Int = 1) {
    self.progress = progress
    start = Int64(index) * Self.units
    if index == 0 { progress.totalUnitCount = Int64(max(1, count)) * Self.units }
  }

  /// Whether the operation should stop because its task or its progress was cancelled.
  package var isCancelled: Bool { Task.isCancelled || progress.isCancelled }

  /// - Throws: `CancellationError`.
  package func checkCancellation() throws {
    if isCancelled { throw CancellationError() }
  }

  /// Reports how much of the operation on the store is done.
  ///
  /// - Throws: `CancellationError`.
  package func advance(to done: Int64, of total: Int64) throws {
    try checkCancellation()
    let fraction = Double(min(done, total)) / Double(max(1, total))
    progress.completedUnitCount = max(progress.completedUnitCount, start + Int64(fraction * Double(Self.units)))
  }

  /// Reports that the operation on the store has ended.
  package func finish() {
    progress.completedUnitCount = max(progress.completedUnitCount, start + Self.units)
  }
}
