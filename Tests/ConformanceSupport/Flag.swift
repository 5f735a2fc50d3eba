import Observation
import PersistenceCore

/// A flag that any thread can raise, which records that an event has happened.
package final class Flag: Sendable {
  private let count = Lock(0)

  package init() {}

  package var isRaised: Bool { count.withLock { $0 > 0 } }

  package func raise() { count.withLock { $0 += 1 } }
}

/// A list to which any thread can add elements.
package final class Log<Element: Sendable>: Sendable {
  private let list = Lock<[Element]>([])

  package init() {}

  package var entries: [Element] { list.withLock { $0 } }

  package func add(_ element: Element) { list.withLock { $0.append(element) } }
}

/// A counter that any thread increments.
package final class Counter: Sendable {
  private let count = Lock(0)

  package init() {}

  /// Increments the counter, and returns the new value.
  package func next() -> Int {
    count.withLock { count in
      count += 1
      return count
    }
  }
}

/// Runs the body, and returns a flag that is raised when an observable property that the body read changes.
package func changeFlag(_ read: () -> Void) -> Flag {
  let flag = Flag()
  withObservationTracking(read) { flag.raise() }
  return flag
}
