import Foundation

/// When a context saves by itself.
final class AutosaveSchedule {
  /// How long after the first change.
  static let delay: Duration = .milliseconds(500)

  /// When the next autosave is due; nil when nothing is pending.
  var due: ContinuousClock.Instant?
  /// Whether a save is running, in which autosaves wait.
  var isSaving = false

  func begin() -> Bool {
    guard due == nil else { return false }
    due = .now + Self.delay
    return true
  }

  var isDue: Bool {
    guard let due, !isSaving else { return false }
    return due <= .now
  }
}
