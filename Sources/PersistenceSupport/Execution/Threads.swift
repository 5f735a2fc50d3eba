import Foundation
import _CSwiftRuntime

/// Carries a non-Sendable value into another isolation region.
///
/// Unchecked: it is created only from `sending` values, which no other code can reach, and it is read once.
@usableFromInline
package struct Transfer<Value>: @unchecked Sendable {
  @usableFromInline package let value: Value

  @inlinable
  package init(_ value: Value) {
    self.value = value
  }
}

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

/// The main dispatch queue. The initial thread need not be the one that serves it.
package enum MainQueue {
  private static let key: DispatchSpecificKey<Bool> = {
    let key = DispatchSpecificKey<Bool>()
    DispatchQueue.main.setSpecific(key: key, value: true)
    return key
  }()

  /// Whether the caller runs on the main queue.
  static var isCurrent: Bool { DispatchQueue.getSpecific(key: key) ?? false }

  /// Whether the caller runs where the main actor does: on the main queue, or on the initial thread before that thread
  /// serves the queue.
  package static var isRunningHere: Bool { isCurrent || Thread.isMainThread }
}

extension _PersistenceRuntime {
  /// Whether this thread is creating an object from a row, so that property defaults need not be computed.
  ///
  /// Generated code calls it in the initial value of every slot.
  @inlinable
  public static func _$isDecoding() -> Bool {
    osd_is_decoding()
  }

  /// Marks the next initialiser call on this thread as one that creates an object from a row.
  @inlinable
  public static func _$beginDecoding() {
    osd_set_decoding(true)
  }
}
