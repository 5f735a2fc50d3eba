import Foundation

/// When a context saves by itself.
final class AutosaveSchedule {
  /// How long after the first change.
  static let delay: Duration = .milliseconds(500)

  /// How long to wait after a failure; twice as long after each, up to a minute.
  private var retryDelay: Duration = .seconds(2)

  /// When the next autosave is due; nil when nothing is pending.
  var due: ContinuousClock.Instant?
  /// Whether a save is running, in which autosaves wait.
  var isSaving = false

  func begin() -> Bool {
    guard due == nil else { return false }
    due = .now + Self.delay
    return true
  }

  /// Plans another try after a failure, and says how long until then.
  func beginAgain() -> Duration {
    let delay = retryDelay
    retryDelay = min(delay * 2, .seconds(60))
    due = .now + delay
    return delay
  }

  func succeed() {
    due = nil
    retryDelay = .seconds(2)
  }

  var isDue: Bool {
    guard let due, !isSaving else { return false }
    return due <= .now
  }
}
