#if PostgreSQL
  import Foundation
  import PersistenceSupport

  /// A pipe by which one thread wakes another one that waits for a socket. Thread-safe.
  package final class WakePipe: Sendable {
    let descriptor: Int32
    private let input: Int32

    package init() throws {
      var ends: [Int32] = [-1, -1]
      guard pipe(&ends) == 0 else {
        throw SystemFailure(code: errno).storeError { "A pipe cannot be made: \($0)." }
      }
      (descriptor, input) = (ends[0], ends[1])
      for end in ends {
        _ = fcntl(end, F_SETFL, O_NONBLOCK)
        _ = fcntl(end, F_SETFD, FD_CLOEXEC)
      }
    }

    deinit {
      close(descriptor)
      close(input)
    }

    /// Wakes the thread. If the pipe is full, the thread has been woken already.
    package func signal() {
      var byte: UInt8 = 1
      _ = write(input, &byte, 1)
    }

    /// Waits for a signal, at most for the given time.
    func wait(for time: Duration) {
      var entry = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
      if poll(&entry, 1, Int32(clamping: time.milliseconds)) > 0 { drain() }
    }

    func drain() {
      var bytes = [UInt8](repeating: 0, count: 64)
      while read(descriptor, &bytes, bytes.count) > 0 {}
    }
  }
#endif
