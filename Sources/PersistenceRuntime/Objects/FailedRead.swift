import PersistenceSupport

/// A property of an object whose read failed.
///
/// Reading a property cannot throw, so a placeholder is returned. The slot stays empty and the next read tries again.
/// No save succeeds that may depend on the placeholder before the error has been reported.
package struct FailedRead {
  package let position: Int
  package var cause: any Error
  /// Whether the program may have got a placeholder. A fetch that finds an unreadable value gives none.
  package var isSeen: Bool
  /// Whether a change of the property was rejected.
  package var isRefused = false
  /// Whether a save has thrown the error.
  package var isReported = false

  package init(
    position: Int, cause: any Error, isSeen: Bool = true, isRefused: Bool = false, isReported: Bool = false
  ) {
    self.position = position
    self.cause = cause
    self.isSeen = isSeen
    self.isRefused = isRefused
    self.isReported = isReported
  }

  /// Whether the stored value does not decode as the property's type, an error that retrying does not resolve.
  package var isOfValue: Bool { (cause as? SwiftDataError)?.kind == .corruptValue }
}

extension ModelState {
  /// The property's last read failure; nil if its last read succeeded or it was never read.
  package func failedRead(at position: Int) -> FailedRead? {
    guard hasFailedReads else { return nil }
    return extras?.failedReads.first { $0.position == position }
  }

  package mutating func forgetFailedReads(where isOver: (FailedRead) -> Bool) {
    guard hasFailedReads, let extras else { return }
    extras.failedReads.removeAll(where: isOver)
    hasFailedReads = !extras.failedReads.isEmpty
  }

  package func changeFailedRead(at position: Int, _ change: (inout FailedRead) -> Void) {
    guard let extras, let index = extras.failedReads.firstIndex(where: { $0.position == position }) else { return }
    change(&extras.failedReads[index])
  }
}
