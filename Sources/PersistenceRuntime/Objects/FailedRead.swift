import PersistenceSupport

/// A property of an object that could not be read.
///
/// Reading a property cannot throw, so a value stands in for it. The slot stays empty, the next read tries again, and
/// nothing that may build on the stand-in is saved before the program has heard of it.
package struct FailedRead {
  package let position: Int
  package let cause: any Error
  /// Whether a change of the property was refused.
  package var isRefused = false
  /// Whether a save of the program has thrown it.
  package var isHeard = false

  package init(position: Int, cause: any Error, isRefused: Bool = false, isHeard: Bool = false) {
    self.position = position
    self.cause = cause
    self.isRefused = isRefused
    self.isHeard = isHeard
  }

  /// Whether the store could be read, and what it has is no value of the property. Nobody can say when that ends.
  package var isOfValue: Bool { (cause as? SwiftDataError)?.kind == .corruptValue }
}

extension ModelState {
  /// Why a property could not be read when it was last tried; nil if it was read, or never tried.
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
    guard let extras, let place = extras.failedReads.firstIndex(where: { $0.position == position }) else { return }
    change(&extras.failedReads[place])
  }
}
