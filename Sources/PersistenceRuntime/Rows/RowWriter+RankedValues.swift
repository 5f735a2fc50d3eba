// The counterpart of the ranked overloads that read: see ``_$Rank1``.

extension _$Rank1 where Self == RowWriter {
  @inlinable
  public mutating func write<T: StandardCodable & SendableMetatype>(_ slot: Slot<T>, _ position: Int) {
    if !self.writeComposite(slot, position) { self.writeJSON(slot, position) }
  }

  @inlinable
  public mutating func write<T: StandardCodable & SendableMetatype>(_ slot: Slot<T?>, _ position: Int) {
    if !self.writeComposite(slot, position) { self.writeOptionalJSON(slot, position) }
  }
}

extension _$Rank2 where Self == RowWriter {
  @inlinable
  public mutating func write<T: RawRepresentable & SendableMetatype>(_ slot: Slot<T?>, _ position: Int)
  where T.RawValue: StorableValue {
    guard self.includes(position) else { return }
    let parameter = self.advance()
    guard case .value(let value) = slot else { return self.reportFault(position) }
    guard let value else { return self.check(self.functions.pointee.null(self.statement, parameter), position) }
    self.check(value.rawValue._$bind(&self, parameter), position)
  }
}

extension _$Rank3 where Self == RowWriter {
  @inlinable
  @_disfavoredOverload
  public mutating func write<T: Codable & SendableMetatype>(_ slot: Slot<T?>, _ position: Int) {
    if !self.writeComposite(slot, position) { self.writeOptionalJSON(slot, position) }
  }
}

extension _$Rank4 where Self == RowWriter {
  @inlinable
  @_disfavoredOverload
  public mutating func write<T: RawRepresentable & SendableMetatype>(_ slot: Slot<T>, _ position: Int)
  where T.RawValue: StorableValue {
    guard self.includes(position) else { return }
    let parameter = self.advance()
    guard case .value(let value) = slot else { return self.reportFault(position) }
    self.check(value.rawValue._$bind(&self, parameter), position)
  }
}

extension _$Rank5 where Self == RowWriter {
  @inlinable
  @_disfavoredOverload
  public mutating func write<T: Codable & SendableMetatype>(_ slot: Slot<T>, _ position: Int) {
    if !self.writeComposite(slot, position) { self.writeJSON(slot, position) }
  }
}

extension _$Rank6 where Self == RowWriter {
  @_disfavoredOverload
  public mutating func write<T>(_ slot: Slot<T>, _ position: Int) {
    if !self.writeComposite(slot, position) { self.writeActorBound(slot, position) }
  }
}
