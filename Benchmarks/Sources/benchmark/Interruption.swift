import Foundation
import Synchronization

/// Ends a child process when the user interrupts this process. The terminal does not signal the child, because the
/// child has a process group of its own. This process must outlive the child, so that it can remove the child's
/// database.
enum Interruption {
  /// The identifier of the process to end. It is atomic, because a signal handler may use little else.
  private static let child = Atomic<Int32>(0)

  /// Runs the work. Meanwhile an interrupt ends the child process instead of this one.
  static func during(_ process: Process, _ work: () throws -> Void) rethrows {
    child.store(process.processIdentifier, ordering: .sequentiallyConsistent)
    signal(SIGINT) { _ in
      kill(Interruption.child.load(ordering: .sequentiallyConsistent), SIGTERM)
    }
    defer { signal(SIGINT, SIG_DFL) }
    try work()
  }
}
