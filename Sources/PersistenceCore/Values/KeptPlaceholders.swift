/// Values that stand in when everything else has failed, by type, for the life of the process.
///
/// One of each type that has no value of itself and that a schema has where there is no default: types with an
/// `init(from:)` of their own, and what transformers make.
enum KeptPlaceholders {
  private enum Kept: @unchecked Sendable {
    // Unchecked, because the types are users' and need not be Sendable.

    /// Given to everybody: a copy of it shares nothing that could change (``Placeholder/isShareable(_:)``).
    case forAll(Any)
    /// Given to one reader, and to nobody else. Until then nobody knows it.
    case forOne(Any)
    case given
  }

  private static let values = Lock<[ObjectIdentifier: Kept]>([:])

  /// What is kept of a type, if anything is left.
  static func take<T>(_ type: T.Type) -> T? {
    let kept = values.withLock { values in
      let kept = values[ObjectIdentifier(type)]
      if case .forOne = kept { values[ObjectIdentifier(type)] = .given }
      return kept
    }
    switch kept {
    case .forAll(let value), .forOne(let value): return value as? T
    case .given, nil: return nil
    }
  }

  static func has(_ type: any Any.Type) -> Bool {
    values.withLock { $0[ObjectIdentifier(type)] != nil }
  }

  static func keep(_ value: Any, for type: any Any.Type, isForAll: Bool) {
    let kept: Kept = isForAll ? .forAll(value) : .forOne(value)
    values.withLock { $0[ObjectIdentifier(type)] = kept }
  }
}
