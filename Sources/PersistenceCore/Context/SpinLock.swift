import Synchronization

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// A lock for a few instructions that nearly never meet another thread.
///
/// A mutex costs twice as much without contention, and the identity map takes its lock for every object that dies.
struct SpinLock: ~Copyable {
  private let isTaken = Atomic<Bool>(false)

  @inline(__always)
  borrowing func acquire() {
    while isTaken.exchange(true, ordering: .acquiring) { yield() }
  }

  @inline(__always)
  borrowing func release() {
    isTaken.store(false, ordering: .releasing)
  }

  private borrowing func yield() {
    #if canImport(Glibc) || canImport(Musl) || canImport(Darwin)
      sched_yield()
    #endif
  }
}
