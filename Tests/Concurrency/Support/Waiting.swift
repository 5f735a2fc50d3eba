import Dispatch
import Foundation

/// Waits until something is so, for longer than a busy machine needs.
func eventually(
  isolation: isolated (any Actor)? = #isolation, _ condition: () async throws -> Bool
) async rethrows -> Bool {
  for _ in 0..<1_000 {
    if try await condition() { return true }
    try? await Task.sleep(for: .milliseconds(10))
  }
  return false
}

/// Whether the caller runs where the main actor does. On Linux that need not be the thread that the process began with,
/// but it is always the main queue.
func isOnMainActor() -> Bool {
  _ = MainQueue.isMarked
  return DispatchQueue.getSpecific(key: MainQueue.key) == true
}

private enum MainQueue {
  static let key = DispatchSpecificKey<Bool>()
  static let isMarked: Bool = {
    DispatchQueue.main.setSpecific(key: key, value: true)
    return true
  }()
}
