import Foundation
import Synchronization

/// Ends a child process when this process is interrupted. The terminal does not signal the child, which has a process
/// group of its own. This process must outlive the child, to remove its database.
enum Interruption {
  /// The process to end; an atomic number, because a signal handler may use little else.
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
