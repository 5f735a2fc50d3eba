import Observation
import PersistenceCore

/// Something that happened or did not.
package final class Flag: Sendable {
  private let count = Lock(0)

  package init() {}

  package var isRaised: Bool { count.withLock { $0 > 0 } }

  package func raise() { count.withLock { $0 += 1 } }
}

/// A list that observers add to.
package final class Log<Element: Sendable>: Sendable {
  private let list = Lock<[Element]>([])

  package init() {}

  package var entries: [Element] { list.withLock { $0 } }

  package func add(_ element: Element) { list.withLock { $0.append(element) } }
}

/// A number that any thread counts up.
package final class Counter: Sendable {
  private let count = Lock(0)

  package init() {}

  /// Counts one more, and returns how many there are now.
  package func next() -> Int {
    count.withLock { count in
      count += 1
      return count
    }
  }
}

/// A flag that is raised when something that the body reads changes.
package func changeFlag(_ read: () -> Void) -> Flag {
  let flag = Flag()
  withObservationTracking(read) { flag.raise() }
  return flag
}
