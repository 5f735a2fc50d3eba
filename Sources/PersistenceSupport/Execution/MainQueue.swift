import Foundation

/// The main dispatch queue. The initial thread need not be the one that serves it.
package enum MainQueue {
  private static let key: DispatchSpecificKey<Bool> = {
    let key = DispatchSpecificKey<Bool>()
    DispatchQueue.main.setSpecific(key: key, value: true)
    return key
  }()

  /// Whether the caller runs on the main queue.
  static var isCurrent: Bool { DispatchQueue.getSpecific(key: key) ?? false }

  /// Whether the caller runs where the main actor does: on the main queue, or on the initial thread before that thread
  /// serves the queue.
  package static var isRunningHere: Bool { isCurrent || Thread.isMainThread }
}
