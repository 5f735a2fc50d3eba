import Foundation

/// A long operation on a store. The store's engine reports its progress here, and checks whether it was cancelled.
///
/// Unchecked: `Progress` is documented as thread-safe, but not Sendable on every platform.
package final class StoreWork: @unchecked Sendable {
  /// The number of progress units of each store.
  private static let units: Int64 = 1_000

  private let progress: Progress
  private let start: Int64

  /// - Parameters:
  ///   - progress: The progress of the whole operation, whose units are divided equally among the stores.
  ///   - index: The index of the store among the stores of the operation.
  ///   - count: The number of stores of the operation.
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

  /// Reports which part of the operation on this store is done.
  ///
  /// - Throws: `CancellationError`.
  package func advance(to done: Int64, of total: Int64) throws {
    try checkCancellation()
    let fraction = Double(min(done, total)) / Double(max(1, total))
    progress.completedUnitCount = max(progress.completedUnitCount, start + Int64(fraction * Double(Self.units)))
  }

  /// Reports that the operation on this store is done.
  package func finish() {
    progress.completedUnitCount = max(progress.completedUnitCount, start + Self.units)
  }
}
