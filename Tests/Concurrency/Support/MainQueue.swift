import Dispatch

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
