// Overloads for types that may satisfy several constraints: see ``_$Rank1``.

import PersistenceSupport

extension _$Rank1 where Self == _PersistenceRuntime.RowReader {
  @inlinable
  @inline(__always)
  public mutating func slot<T: _PersistenceRuntime.StandardCodable & SendableMetatype>(_ position: Int)
    -> _PersistenceRuntime.Slot<T>
  {
    self.codable(position)
  }

  @inlinable
  @inline(__always)
  public mutating func slot<T: _PersistenceRuntime.StandardCodable & SendableMetatype>(_ position: Int)
    -> _PersistenceRuntime.Slot<T?>
  {
    self.codable(position)
  }

  @inlinable
  public mutating func constant<T: _PersistenceRuntime.StandardCodable & SendableMetatype>(_ position: Int) -> T {
    self.value(of: self.slot(position), position)
  }

  @inlinable
  public mutating func constant<T: _PersistenceRuntime.StandardCodable & SendableMetatype>(_ position: Int) -> T? {
    self.value(of: self.slot(position), position)
  }
}

extension _$Rank2 where Self == _PersistenceRuntime.RowReader {
  @inlinable
  public mutating func slot<T: RawRepresentable & SendableMetatype>(_ position: Int) -> _PersistenceRuntime.Slot<T?>
  where T.RawValue: _PersistenceRuntime.StorableValue {
    guard self.includes(position) else { return .fault }
    let column = self.advance()
    guard !self.isNull(column) else { return .value(nil) }
    guard let value: T = self.rawValue(at: column, position) else { return .fault }
    return .value(value)
  }

  @inlinable
  public mutating func constant<T: RawRepresentable & SendableMetatype>(_ position: Int) -> T?
  where T.RawValue: _PersistenceRuntime.StorableValue {
    if case .value(let value) = self.slot(position) as Slot<T?> { return value }
    return nil
  }
}

extension _$Rank3 where Self == _PersistenceRuntime.RowReader {
  @inlinable
  @inline(__always)
  @_disfavoredOverload
  public mutating func slot<T: Codable & SendableMetatype>(_ position: Int) -> _PersistenceRuntime.Slot<T?> {
    self.codable(position)
  }

  @inlinable
  @_disfavoredOverload
  public mutating func constant<T: Codable & SendableMetatype>(_ position: Int) -> T? {
    self.value(of: self.slot(position), position)
  }
}

extension _$Rank4 where Self == _PersistenceRuntime.RowReader {
  @inlinable
  @_disfavoredOverload
  public mutating func slot<T: RawRepresentable & SendableMetatype>(_ position: Int) -> _PersistenceRuntime.Slot<T>
  where T.RawValue: _PersistenceRuntime.StorableValue {
    guard self.includes(position) else { return .fault }
    guard let value: T = self.rawValue(at: self.advance(), position) else { return .fault }
    return .value(value)
  }

  @inlinable
  @_disfavoredOverload
  public mutating func constant<T: RawRepresentable & SendableMetatype>(_ position: Int) -> T
  where T.RawValue: _PersistenceRuntime.StorableValue {
    self.value(of: self.slot(position), position)
  }
}

extension _$Rank5 where Self == _PersistenceRuntime.RowReader {
  @inlinable
  @inline(__always)
  @_disfavoredOverload
  public mutating func slot<T: Codable & SendableMetatype>(_ position: Int) -> _PersistenceRuntime.Slot<T> {
    self.codable(position)
  }

  @inlinable
  @_disfavoredOverload
  public mutating func constant<T: Codable & SendableMetatype>(_ position: Int) -> T {
    self.value(of: self.slot(position), position)
  }
}

extension _$Rank6 where Self == _PersistenceRuntime.RowReader {
  @_disfavoredOverload
  public mutating func slot<T>(_ position: Int) -> _PersistenceRuntime.Slot<T> { self.actorBound(position) }

  @_disfavoredOverload
  public mutating func constant<T>(_ position: Int) -> T { self.value(of: self.actorBound(position), position) }
}

extension RowReader {
  /// The value of a slot, or a placeholder after a reported failure.
  @usableFromInline
  func value<T>(of slot: Slot<T>, _ position: Int) -> T {
    if case .value(let value) = slot { return value }
    return session.placeholder(position)
  }
}
