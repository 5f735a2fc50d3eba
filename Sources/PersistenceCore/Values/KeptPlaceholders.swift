import Synchronization

/// Values that stand in when everything else has failed, by type, for the life of the process.
///
/// One of each type that has no value of itself and that a schema has where there is no default: classes and other types
/// with an `init(from:)` of their own, and what transformers make.
enum KeptPlaceholders {
  /// Unchecked, because the types are users' and need not be Sendable. Nothing here changes the value. Of a class it is
  /// one object for all, so another is made wherever that succeeds again, which it does for all that decode alike twice.
  private struct Kept: @unchecked Sendable {
    let value: Any
  }

  private static let values = Mutex<[ObjectIdentifier: Kept]>([:])

  static func value<T>(of type: T.Type) -> T? {
    let kept = values.withLock { $0[ObjectIdentifier(type)] }
    return kept?.value as? T
  }

  static func has(_ type: any Any.Type) -> Bool {
    values.withLock { $0[ObjectIdentifier(type)] != nil }
  }

  static func keep(_ value: Any, for type: any Any.Type) {
    let kept = Kept(value: value)
    values.withLock { $0[ObjectIdentifier(type)] = kept }
  }
}
