import Foundation

/// A `Progress` that runs an action whenever its work advances, on the thread that does the work.
///
/// Sendable without checks, like `Progress`: its properties are constant, except a flag that only the working thread
/// uses.
package final class WatchedProgress: Progress, @unchecked Sendable {
  private let units: Int64?
  private let action: @Sendable (Progress) -> Void
  private var isDone = false

  /// - Parameters:
  ///   - units: The number of completed units at which the action runs once; nil to run the action at each update.
  ///   - action: The action.
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
