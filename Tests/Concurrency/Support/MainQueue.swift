import Dispatch

/// Returns true if the caller runs on the main actor. On Linux, the main actor runs on the main queue, and threads
/// other than the process's first one may run this queue.
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
