import Foundation

/// The identity of a thread while it runs.
package struct ThreadIdentity: Hashable, Sendable {
  private let value: UInt

  /// The running thread.
  package static var current: ThreadIdentity {
    #if canImport(Darwin)
      ThreadIdentity(value: UInt(bitPattern: pthread_self()))
    #else
      ThreadIdentity(value: UInt(pthread_self()))
    #endif
  }
}
