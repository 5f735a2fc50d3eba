import Foundation
import Synchronization

/// Ends a child process when this one is interrupted. The terminal does not reach the child, which has a process group
/// of its own; and this process must outlive it, to remove its database.
enum Interruption {
  /// The process to end; an atomic number, since a signal's handler may use little else.
  private static let child = Atomic<Int32>(0)

  /// Does the work while an interrupt ends the process instead of this one.
  static func during(_ process: Process, _ work: () throws -> Void) rethrows {
    child.store(process.processIdentifier, ordering: .sequentiallyConsistent)
    signal(SIGINT) { _ in
      kill(Interruption.child.load(ordering: .sequentiallyConsistent), SIGTERM)
    }
    defer { signal(SIGINT, SIG_DFL) }
    try work()
  }
}
