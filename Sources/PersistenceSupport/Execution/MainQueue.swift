import Foundation

/// The queue of the main actor, which need not be served by the first thread.
package enum MainQueue {
  private static let key: DispatchSpecificKey<Bool> = {
    let key = DispatchSpecificKey<Bool>()
    DispatchQueue.main.setSpecific(key: key, value: true)
    return key
  }()

  /// Whether the code that asks runs in the queue.
  static var isCurrent: Bool { DispatchQueue.getSpecific(key: key) ?? false }

  /// Whether the code that asks runs where the main actor does: in the queue, or on the first thread before that serves it.
  package static var isRunningHere: Bool { isCurrent || Thread.isMainThread }
}
