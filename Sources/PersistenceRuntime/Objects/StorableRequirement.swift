// Generated code calls these functions only so that the compiler rejects unstorable properties. The calls never run.

import PersistenceSupport

extension _PersistenceRuntime {
  /// Checks at compile time, in a model's isolation, that its properties can be stored. See ``_$Rank1`` for the
  /// order of the overloads.
  public enum _$Storable: _$Rank1 {}
}

extension _$Storable {
  public static func variable<T: PersistentModel>(_ slot: _PersistenceRuntime.Slot<T>) {}
  public static func variable<T: PersistentModel>(_ slot: _PersistenceRuntime.Slot<T?>) {}
  public static func variable<T: PersistentModel>(_ slot: _PersistenceRuntime.Slot<[T]>) {}
  public static func variable<T: PersistentModel>(_ slot: _PersistenceRuntime.Slot<[T]?>) {}
}

extension _$Rank1 where Self == _PersistenceRuntime._$Storable {
  public static func variable<T: Codable>(_ slot: _PersistenceRuntime.Slot<T>) {}
  public static func constant<T: Codable>(_ type: T.Type) {}
}

extension _$Rank2 where Self == _PersistenceRuntime._$Storable {
  public static func variable<T: RawRepresentable>(_ slot: _PersistenceRuntime.Slot<T?>)
  where T.RawValue: _PersistenceRuntime.StorableValue {}
  public static func constant<T: RawRepresentable>(_ type: T?.Type)
  where T.RawValue: _PersistenceRuntime.StorableValue {}
}

extension _$Rank3 where Self == _PersistenceRuntime._$Storable {
  public static func variable<T: RawRepresentable>(_ slot: _PersistenceRuntime.Slot<T>)
  where T.RawValue: _PersistenceRuntime.StorableValue {}
  public static func constant<T: RawRepresentable>(_ type: T.Type) where T.RawValue: _PersistenceRuntime.StorableValue {
  }
}

extension _$Rank4 where Self == _PersistenceRuntime._$Storable {
  @available(*, unavailable, message: "a relationship must be a 'var': both of its ends change together")
  public static func constant<T: PersistentModel>(_ type: T.Type) {}

  @available(*, unavailable, message: "a relationship must be a 'var': both of its ends change together")
  public static func constant<T: PersistentModel>(_ type: T?.Type) {}

  @available(*, unavailable, message: "a relationship must be a 'var': both of its ends change together")
  public static func constant<T: PersistentModel>(_ type: [T].Type) {}

  @available(*, unavailable, message: "a relationship must be a 'var': both of its ends change together")
  public static func constant<T: PersistentModel>(_ type: [T]?.Type) {}
}

extension _$Rank6 where Self == _PersistenceRuntime._$Storable {
  @_disfavoredOverload
  @available(
    *, unavailable,
    message:
      "a stored property must be Codable, a model or an array of models; make its type Codable, or mark the property @Transient"
  )
  public static func variable<T>(_ slot: _PersistenceRuntime.Slot<T>) {}

  @_disfavoredOverload
  @available(
    *, unavailable,
    message: "a stored property must be Codable; make its type Codable, or give it a value where it is declared"
  )
  public static func constant<T>(_ type: T.Type) {}
}
