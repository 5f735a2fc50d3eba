import Foundation

/// A progress that does something when work has come further, on the thread that works.
///
/// Unchecked, as `Progress` is: what is its own is constant, but for a flag that the thread of the work alone uses.
package final class WatchedProgress: Progress, @unchecked Sendable {
  private let units: Int64?
  private let action: @Sendable (Progress) -> Void
  private var isDone = false

  /// - Parameters:
  ///   - units: The completed units at which it acts, once; nil for each time that some are done.
  ///   - action: What it does.
  package init(at units: Int64? = nil, _ action: @escaping @Sendable (Progress) -> Void) {
    self.units = units
    self.action = action
    super.init(parent: nil, userInfo: nil)
  }

  package override var completedUnitCount: Int64 {
    get { super.completedUnitCount }
    set {
      super.completedUnitCount = newValue
      guard !isDone, newValue >= units ?? .min else { return }
      isDone = units != nil
      action(self)
    }
  }
}
