import PersistenceSupport

/// Values that stand in when everything else has failed, by type, for the life of the process.
///
/// One of each type that has no value of itself and that a schema has where there is no default: types with an
/// `init(from:)` of their own, and what transformers make.
///
/// A read gets it when nothing else is left. Of a class that is one object for several readers, and the only one
/// there is: the type made two when the container opened (``Placeholder/isAvailable(_:transformer:)``), contradicts
/// itself by refusing more, and a read can neither fail nor end the program.
package enum KeptPlaceholders {
  private struct Kept: @unchecked Sendable {
    // Unchecked, because the types are users' and need not be Sendable. The lock hands values out and looks at none.
    let value: Any
  }

  private static let values = Lock<[ObjectIdentifier: Kept]>([:])

  /// What is kept of a type.
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
