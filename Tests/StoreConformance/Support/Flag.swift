import Observation
import Synchronization

/// Something that happened or did not.
final class Flag: Sendable {
  private let count = Mutex(0)

  var isRaised: Bool { count.withLock { $0 > 0 } }

  func raise() { count.withLock { $0 += 1 } }
}

/// A list that observers add to.
final class Log<Element: Sendable>: Sendable {
  private let list = Mutex<[Element]>([])

  var entries: [Element] { list.withLock { $0 } }

  func add(_ element: Element) { list.withLock { $0.append(element) } }
}

/// A flag that is raised when something that the body reads changes.
func changeFlag(_ read: () -> Void) -> Flag {
  let flag = Flag()
  withObservationTracking(read) { flag.raise() }
  return flag
}
