import Foundation
import Logging

/// Logs the contexts with unsaved changes when the process ends. Any thread may use it.
///
/// No job runs on the main actor after `main` has returned. So if the release or the autosave of a context waits for
/// the main actor, its changes are lost. The changes of any other context whose autosave has not run yet are lost too.
package final class EndOfProcess: Sendable {
  package static let shared = EndOfProcess()

  /// Changes that are lost when the process ends.
  package struct LostChanges: Sendable {
    private let changes: String
    private let owner: String
    private let isSavedByClosing: Bool

    /// - Parameters:
    ///   - changes: The changes, as text.
    ///   - owner: The context that has the changes, as text.
    ///   - isSavedByClosing: Whether closing the container saves the context.
    package init(_ changes: String, of owner: String, isSavedByClosing: Bool = true) {
      self.changes = changes
      self.owner = owner
      self.isSavedByClosing = isSavedByClosing
    }

    fileprivate func report() {
      let remedy = isSavedByClosing ? "save(), or close() of the container," : "save()"
      Logger.library.error(
        """
        the program ends before \(owner) could save by itself, \(changes) are lost; call \(remedy) before the end
        """)
    }
  }

  private let watched = Lock<[ObjectIdentifier: @Sendable () -> LostChanges?]>([:])

  private init() {
    atexit { EndOfProcess.shared.report() }
  }

  /// Adds a context.
  ///
  /// - Parameters:
  ///   - object: An object that stands for the context until ``forget(_:)`` is called with it.
  ///   - lostChanges: The changes that the end of the process loses; nil if it loses none. Called at the end of the
  ///     process, on the thread that ends it.
  package func watch(_ object: AnyObject, lostChanges: @escaping @Sendable () -> LostChanges?) {
    watched.withLock { $0[ObjectIdentifier(object)] = lostChanges }
  }

  package func forget(_ object: AnyObject) {
    watched.withLock { _ = $0.removeValue(forKey: ObjectIdentifier(object)) }
  }

  private func report() {
    for lostChanges in watched.withLock({ Array($0.values) }) { lostChanges()?.report() }
  }
}
