// What generated code calls, and nothing runs, so that the compiler says in words which property cannot be stored.

/// Asks the compiler whether properties can be stored, in the isolation of their model. The overloads have an order for types
/// that are several of these: see ``_$Rank1``.
public enum _$Storable: _$Rank1 {}

extension _$Storable {
  public static func variable<T: PersistentModel>(_ slot: Slot<T>) {}
  public static func variable<T: PersistentModel>(_ slot: Slot<T?>) {}
  public static func variable<T: PersistentModel>(_ slot: Slot<[T]>) {}
  public static func variable<T: PersistentModel>(_ slot: Slot<[T]?>) {}
}

extension _$Rank1 where Self == _$Storable {
  public static func variable<T: Codable>(_ slot: Slot<T>) {}
  public static func constant<T: Codable>(_ type: T.Type) {}
}

extension _$Rank2 where Self == _$Storable {
  public static func variable<T: RawRepresentable>(_ slot: Slot<T?>) where T.RawValue: StorableValue {}
  public static func constant<T: RawRepresentable>(_ type: T?.Type) where T.RawValue: StorableValue {}
}

extension _$Rank3 where Self == _$Storable {
  public static func variable<T: RawRepresentable>(_ slot: Slot<T>) where T.RawValue: StorableValue {}
  public static func constant<T: RawRepresentable>(_ type: T.Type) where T.RawValue: StorableValue {}
}

extension _$Rank4 where Self == _$Storable {
  @available(*, unavailable, message: "a relationship must be a 'var': both of its ends change together")
  public static func constant<T: PersistentModel>(_ type: T.Type) {}

  @available(*, unavailable, message: "a relationship must be a 'var': both of its ends change together")
  public static func constant<T: PersistentModel>(_ type: T?.Type) {}

  @available(*, unavailable, message: "a relationship must be a 'var': both of its ends change together")
  public static func constant<T: PersistentModel>(_ type: [T].Type) {}

  @available(*, unavailable, message: "a relationship must be a 'var': both of its ends change together")
  public static func constant<T: PersistentModel>(_ type: [T]?.Type) {}
}

extension _$Rank6 where Self == _$Storable {
  @_disfavoredOverload
  @available(
    *, unavailable,
    message:
      "a stored property must be Codable, a model or an array of models; make its type Codable, or mark the property @Transient"
  )
  public static func variable<T>(_ slot: Slot<T>) {}

  @_disfavoredOverload
  @available(
    *, unavailable,
    message: "a stored property must be Codable; make its type Codable, or give it a value where it is declared"
  )
  public static func constant<T>(_ type: T.Type) {}
}
