import PersistenceSupport

/// Placeholder values of last resort, by type, for the life of the process (decision 38).
///
/// One value of each type without an empty value that a schema uses without a default: types with a custom
/// `init(from:)`, and results of transformers. For a class several readers may share the object: the type produced two
/// when the container opened (``Placeholder/isAvailable(_:transformer:)``) and now refuses, and a read can neither
/// throw nor trap.
package enum KeptPlaceholders {
  private struct Kept: @unchecked Sendable {
    // Unchecked: users' types need not be Sendable. The values are handed out and never accessed under the lock.
    let value: Any
  }

  private static let values = Lock<[ObjectIdentifier: Kept]>([:])

  /// The stored placeholder of a type.
  static func value<T>(of type: T.Type) -> T? {
    guard let kept = values.withLock({ $0[ObjectIdentifier(type)] }) else { return nil }
    return kept.value as? T
  }

  static func has(_ type: any Any.Type) -> Bool {
    values.withLock { $0[ObjectIdentifier(type)] != nil }
  }

  static func keep(_ value: Any, for type: any Any.Type) {
    let kept = Kept(value: value)
    values.withLock { $0[ObjectIdentifier(type)] = kept }
  }
}
