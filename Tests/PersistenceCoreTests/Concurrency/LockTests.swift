import Foundation
import PersistenceSupport
import Testing

/// An object that a lock retains. A test checks through a weak reference when it is released.
private final class Guest: Sendable {}

/// A value that needs a greater alignment than the heap's default.
private struct Wide {
  var numbers: SIMD8<Double> = .zero
  var count = 0
}

@Suite("Lock, which protects a value")
struct LockTests {
  @Test("no increment is lost if several tasks increment the value of a lock")
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

  @Test("if the block throws, the lock rethrows the error and can be used again")
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

  @Test("a lock releases its value when the lock is released")
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

/// A class with a lock, which several tasks share.
private final class Held: Sendable {
  let lock: Lock<Wide>
  init(_ lock: consuming Lock<Wide>) { self.lock = lock }
}
