// Ranked overloads, the counterpart of those that read: see ``_$Rank1``.

import PersistenceSupport

extension _$Rank1 where Self == _PersistenceRuntime.RowWriter {
  @inlinable
  public mutating func write<T: _PersistenceRuntime.StandardCodable & SendableMetatype>(
    _ slot: _PersistenceRuntime.Slot<T>, _ position: Int
  ) {
    if !self.writeComposite(slot, position) { self.writeJSON(slot, position) }
  }

  @inlinable
  public mutating func write<T: _PersistenceRuntime.StandardCodable & SendableMetatype>(
    _ slot: _PersistenceRuntime.Slot<T?>, _ position: Int
  ) {
    if !self.writeComposite(slot, position) { self.writeOptionalJSON(slot, position) }
  }
}

extension _$Rank2 where Self == _PersistenceRuntime.RowWriter {
  @inlinable
  public mutating func write<T: RawRepresentable & SendableMetatype>(
    _ slot: _PersistenceRuntime.Slot<T?>, _ position: Int
  )
  where T.RawValue: _PersistenceRuntime.StorableValue {
    guard self.includes(position) else { return }
    let parameter = self.advance()
    guard case .value(let value) = slot else { return self.reportFault(position) }
    guard let value else { return self.check(self.functions.pointee.null(self.statement, parameter), position) }
    self.check(value.rawValue._$bind(&self, parameter), position)
  }
}

extension _$Rank3 where Self == _PersistenceRuntime.RowWriter {
  @inlinable
  @_disfavoredOverload
  public mutating func write<T: Codable & SendableMetatype>(_ slot: _PersistenceRuntime.Slot<T?>, _ position: Int) {
    if !self.writeComposite(slot, position) { self.writeOptionalJSON(slot, position) }
  }
}

extension _$Rank4 where Self == _PersistenceRuntime.RowWriter {
  @inlinable
  @_disfavoredOverload
  public mutating func write<T: RawRepresentable & SendableMetatype>(
    _ slot: _PersistenceRuntime.Slot<T>, _ position: Int
  )
  where T.RawValue: _PersistenceRuntime.StorableValue {
    guard self.includes(position) else { return }
    let parameter = self.advance()
    guard case .value(let value) = slot else { return self.reportFault(position) }
    self.check(value.rawValue._$bind(&self, parameter), position)
  }
}

extension _$Rank5 where Self == _PersistenceRuntime.RowWriter {
  @inlinable
  @_disfavoredOverload
  public mutating func write<T: Codable & SendableMetatype>(_ slot: _PersistenceRuntime.Slot<T>, _ position: Int) {
    if !self.writeComposite(slot, position) { self.writeJSON(slot, position) }
  }
}

extension _$Rank6 where Self == _PersistenceRuntime.RowWriter {
  @_disfavoredOverload
  public mutating func write<T>(_ slot: _PersistenceRuntime.Slot<T>, _ position: Int) {
    if !self.writeComposite(slot, position) { self.writeActorBound(slot, position) }
  }
}
