// Whether the row's value differs from the slot's, for the ranked overloads: see ``_$Rank1``.

import PersistenceSupport

extension _$Rank1 where Self == _PersistenceRuntime.RowReader {
  @inlinable
  public mutating func refresh<T: _PersistenceRuntime.StandardCodable & Equatable & SendableMetatype>(
    _ slot: _PersistenceRuntime.Slot<T>, _ position: Int
  ) -> Bool {
    self.refreshComposite(slot, position) ?? self.refreshJSON(slot, position)
  }

  @inlinable
  public mutating func refresh<T: _PersistenceRuntime.StandardCodable & SendableMetatype>(
    _ slot: _PersistenceRuntime.Slot<T>, _ position: Int
  ) -> Bool {
    self.refreshComposite(slot, position) ?? !self.isKept(position)
  }

  @inlinable
  public mutating func refresh<T: _PersistenceRuntime.StandardCodable & Equatable & SendableMetatype>(
    _ slot: _PersistenceRuntime.Slot<T?>, _ position: Int
  ) -> Bool {
    self.refreshComposite(slot, position) ?? self.refreshJSON(slot, position)
  }

  @inlinable
  public mutating func refresh<T: _PersistenceRuntime.StandardCodable & SendableMetatype>(
    _ slot: _PersistenceRuntime.Slot<T?>, _ position: Int
  ) -> Bool {
    self.refreshComposite(slot, position) ?? !self.isKept(position)
  }
}

extension _$Rank2 where Self == _PersistenceRuntime.RowReader {
  @inlinable
  public mutating func refresh<T: RawRepresentable & SendableMetatype>(
    _ slot: _PersistenceRuntime.Slot<T?>, _ position: Int
  ) -> Bool
  where T.RawValue: _PersistenceRuntime.StorableValue {
    guard !self.isKept(position) else { return false }
    guard self.includes(position), case .value(let old) = slot else {
      return self.fills(position) { $0.slot(position) as _PersistenceRuntime.Slot<T?> }
    }
    let isNil = self.isNull(self.column)
    let stored = isNil ? nil : T._$read(self, self.column)
    // What cannot be read is not nil.
    guard stored == old.map({ $0.rawValue }), isNil == (stored == nil) else { return true }
    self.column &+= 1
    return false
  }
}

extension _$Rank3 where Self == _PersistenceRuntime.RowReader {
  @inlinable
  @_disfavoredOverload
  public mutating func refresh<T: Codable & Equatable & SendableMetatype>(
    _ slot: _PersistenceRuntime.Slot<T?>, _ position: Int
  ) -> Bool {
    self.refreshComposite(slot, position) ?? self.refreshJSON(slot, position)
  }

  @inlinable
  @_disfavoredOverload
  public mutating func refresh<T: Codable & SendableMetatype>(_ slot: _PersistenceRuntime.Slot<T?>, _ position: Int)
    -> Bool
  {
    self.refreshComposite(slot, position) ?? !self.isKept(position)
  }
}

extension _$Rank4 where Self == _PersistenceRuntime.RowReader {
  @inlinable
  @_disfavoredOverload
  public mutating func refresh<T: RawRepresentable & SendableMetatype>(
    _ slot: _PersistenceRuntime.Slot<T>, _ position: Int
  ) -> Bool
  where T.RawValue: _PersistenceRuntime.StorableValue {
    guard !self.isKept(position) else { return false }
    guard case .value(let old) = slot else {
      return self.fills(position) { $0.slot(position) as _PersistenceRuntime.Slot<T> }
    }
    guard T._$read(self, self.column) == old.rawValue else { return true }
    self.column &+= 1
    return false
  }
}

extension _$Rank5 where Self == _PersistenceRuntime.RowReader {
  @inlinable
  @_disfavoredOverload
  public mutating func refresh<T: Codable & Equatable & SendableMetatype>(
    _ slot: _PersistenceRuntime.Slot<T>, _ position: Int
  ) -> Bool {
    self.refreshComposite(slot, position) ?? self.refreshJSON(slot, position)
  }

  @inlinable
  @_disfavoredOverload
  public mutating func refresh<T: Codable & SendableMetatype>(_ slot: _PersistenceRuntime.Slot<T>, _ position: Int)
    -> Bool
  {
    self.refreshComposite(slot, position) ?? !self.isKept(position)
  }
}

extension _$Rank6 where Self == _PersistenceRuntime.RowReader {
  @_disfavoredOverload
  public mutating func refresh<T>(_ slot: _PersistenceRuntime.Slot<T>, _ position: Int) -> Bool {
    self.refreshComposite(slot, position) ?? self.refreshActorBound(slot, position)
  }
}
