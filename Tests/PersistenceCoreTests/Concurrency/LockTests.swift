import Foundation
import PersistenceSupport
import Testing

/// An object in a lock, to test that it is released.
private final class Guest: Sendable {}

/// A value whose alignment exceeds the heap's.
private struct Wide {
  var numbers: SIMD8<Double> = .zero
  var count = 0
}

@Suite("The lock")
struct LockTests {
  @Test("concurrent increments are not lost")
  func counting() async {
    let lock = Lock(Wide())
    let shared = Held(lock)
    await withTaskGroup(of: Void.self) { group in
      for _ in 0..<8 {
        group.addTask {
          for _ in 0..<10_000 {
            shared.lock.withLock {
              $0.count += 1
              $0.numbers[3] += 1
            }
          }
        }
      }
    }
    #expect(shared.lock.withLock { $0.count } == 80_000)
    #expect(shared.lock.withLock { $0.numbers[3] } == 80_000)
  }

  @Test("an error of the block is rethrown, and the lock is released")
  func throwing() {
    let lock = Lock(1)
    #expect(throws: SwiftDataError.storeBusy) {
      try lock.withLock { (number: inout Int) throws in
        number = 2
        throw SwiftDataError.storeBusy
      }
    }
    #expect(lock.withLock { $0 } == 2)
  }

  @Test("the value is released with the lock")
  func release() {
    weak var guest: Guest?
    do {
      let held = Guest()
      guest = held
      let lock = Lock(held)
      #expect(lock.withLock { $0 === held })
    }
    #expect(guest == nil)
  }
}

/// Shares a lock between tasks, as a class with a lock does.
private final class Held: Sendable {
  let lock: Lock<Wide>
  init(_ lock: consuming Lock<Wide>) { self.lock = lock }
}
