import Foundation
import PersistenceSupport

// Generated code does not know a property's type: overload resolution selects the storage. A type may satisfy several
// constraints, since a program may make a date or an array `RawRepresentable`, and a model `Codable`. These protocols
// order the overloads strictly. Among members of protocol extensions Swift prefers the member of the refining protocol,
// regardless of the parameters. A member of the type itself precedes members of extensions. Each extension applies to
// one type only, so no conformance is looked up at run time (decision 41).
//
//   itself   models, and values that a column stores directly
//   1        Foundation's and the standard library's types that are stored by their Codable conformance
//   2        optional raw values
//   3        optional Codable values
//   4        raw values
//   5        Codable values
//   6        anything else: the form is selected at run time
//
// All ranks but the last require `SendableMetatype`, which an isolated conformance does not satisfy. So types with
// isolated conformances get the last rank, which checks the current isolation.

extension _PersistenceRuntime {
  public protocol _$Rank1: _$Rank2 {}
  public protocol _$Rank2: _$Rank3 {}
  public protocol _$Rank3: _$Rank4 {}
  public protocol _$Rank4: _$Rank5 {}
  public protocol _$Rank5: _$Rank6 {}
  public protocol _$Rank6 {}

  /// A type of Foundation or the standard library that is stored by its Codable conformance, even if a program makes
  /// the type `RawRepresentable`.
  public protocol StandardCodable: Decodable, Encodable {}
}

extension RowReader: _$Rank1 {}
extension RowWriter: _$Rank1 {}

extension Array: StandardCodable where Element: Codable {}
extension ContiguousArray: StandardCodable where Element: Codable {}
extension Set: StandardCodable where Element: Codable {}
extension Dictionary: StandardCodable where Key: Codable, Value: Codable {}
extension Range: StandardCodable where Bound: Codable {}
extension ClosedRange: StandardCodable where Bound: Codable {}
extension PartialRangeFrom: StandardCodable where Bound: Codable {}
extension PartialRangeThrough: StandardCodable where Bound: Codable {}
extension PartialRangeUpTo: StandardCodable where Bound: Codable {}
extension Measurement: StandardCodable {}
extension Calendar: StandardCodable {}
extension CGFloat: StandardCodable {}
extension CGPoint: StandardCodable {}
extension CGRect: StandardCodable {}
extension CGSize: StandardCodable {}
extension CharacterSet: StandardCodable {}
extension DateComponents: StandardCodable {}
extension DateInterval: StandardCodable {}
extension Duration: StandardCodable {}
extension IndexPath: StandardCodable {}
extension IndexSet: StandardCodable {}
extension Int128: StandardCodable {}
extension Locale: StandardCodable {}
extension PersonNameComponents: StandardCodable {}
extension TimeZone: StandardCodable {}
extension UInt128: StandardCodable {}
extension URLComponents: StandardCodable {}

// Overloads for types that may satisfy several constraints: see ``_$Rank1``.

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

// Ranked overloads that return whether the row's value differs from the slot's: see ``_$Rank1``.

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
    // If `stored` is nil but the column is not NULL, the value is unreadable and differs from nil.
    guard stored == old.map({ $0.rawValue }), isNil == (stored == nil),
      self.isSameSpelling(stored, old.map { $0.rawValue }, of: T.self)
    else { return true }
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
    let stored = T._$read(self, self.column)
    guard stored == old.rawValue, self.isSameSpelling(stored, old.rawValue, of: T.self) else { return true }
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

// Ranked overloads that write the value of a slot: see ``_$Rank1``.

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

// Properties whose types have isolated conformances: the last rank of overloads (``_$Rank1``). The form is selected by
// type at run time, the same as for members of composites, and it checks the current isolation.

extension RowReader {
  /// Reads a property of any type.
  @usableFromInline
  mutating func actorBound<T>(_ position: Int) -> Slot<T> {
    guard includes(position) else { return .fault }
    return withUnsafeTemporaryAllocation(of: T.self, capacity: 1) { buffer in
      guard let memory = buffer.baseAddress else { return .fault }
      switch readComposite(position, into: UnsafeMutableRawPointer(memory), ObjectIdentifier(T.self)) {
      case .isNone:
        let isRead = readColumn(position, into: UnsafeMutableRawPointer(memory), T.self)
        return isRead ? .value(memory.move()) : .fault
      case .hasFailed: return .fault
      case .isDone: return .value(memory.move())
      }
    }
  }

  /// Whether the row's value differs from the slot's.
  @usableFromInline
  mutating func refreshActorBound<T>(_ slot: Slot<T>, _ position: Int) -> Bool {
    guard !isKept(position) else { return false }
    let start = column
    let new: Slot<T> = actorBound(position)
    if case .value(let old) = slot {
      if case .value(let value) = new, isStored(old, as: value) { return false }
    } else if isStillUnread(new, position) {
      return false
    }
    column = start
    return true
  }

  private func isStored<T>(_ old: T, as new: T) -> Bool {
    guard let form = session.lastForms.form(of: T.self) else { return false }
    return withUnsafePointer(to: old) { old in
      withUnsafePointer(to: new) { form.isStored(UnsafeRawPointer(old), as: UnsafeRawPointer($0), nil) }
    }
  }

  /// Initialises memory from the property's only column; returns false after reporting a failure.
  private mutating func readColumn<T>(_ position: Int, into memory: UnsafeMutableRawPointer, _ type: T.Type) -> Bool {
    let column = advance()
    guard let form = session.lastForms.form(of: type) else {
      session.failure.record(.valueNotStorable, property: position, key: key, "\(type) is not Codable")
      return false
    }
    let location = MemberLocation(column: column, position: position, isNullable: false, scratch: nil, inner: nil)
    return form.read(self, location, into: memory)
  }
}

extension RowWriter {
  /// Writes a property of any type to one column.
  @usableFromInline
  mutating func writeActorBound<T>(_ slot: Slot<T>, _ position: Int) {
    guard includes(position) else { return }
    let parameter = advance()
    guard case .value(let value) = slot else { return reportFault(position) }
    guard let form = session.lastForms.form(of: T.self) else {
      return session.failure.record(
        .valueNotStorable, property: position, key: nil, "\(T.self) is not Codable")
    }
    let location = MemberLocation(column: parameter, position: position, isNullable: false, scratch: nil, inner: nil)
    withUnsafePointer(to: value) { form.write(UnsafeRawPointer($0), to: &self, location) }
  }
}
