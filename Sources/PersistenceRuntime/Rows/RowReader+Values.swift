import Foundation
import PersistenceSupport

// How generated code reads columns into slots. Overloads select the storage by the property's type, which the macro
// does not know: a directly stored value, a raw-value enum, another Codable value. See ``_$Rank1`` for their order.

extension RowReader {
  @inlinable
  public mutating func slot<T: _PersistenceRuntime.StorableValue>(_ position: Int) -> _PersistenceRuntime.Slot<T> {
    guard includes(position) else { return .fault }
    return .value(required(T._$read(self, advance()), position))
  }

  @inlinable
  public mutating func slot<T: _PersistenceRuntime.StorableValue>(_ position: Int) -> _PersistenceRuntime.Slot<T?> {
    guard includes(position) else { return .fault }
    let column = advance()
    return .value(isNull(column) ? nil : required(T._$read(self, column), position))
  }

  @inlinable
  @inline(__always)
  package mutating func codable<T: Codable>(_ position: Int) -> Slot<T> {
    guard includes(position) else { return .fault }
    return withUnsafeTemporaryAllocation(of: T.self, capacity: 1) { buffer in
      guard let memory = buffer.baseAddress else { return .fault }
      switch readComposite(position, into: UnsafeMutableRawPointer(memory), ObjectIdentifier(T.self)) {
      case .isNone: return json(position)
      case .hasFailed: return .fault
      case .isDone: return .value(memory.move())
      }
    }
  }

  @usableFromInline
  mutating func json<T: Codable>(_ position: Int) -> Slot<T> {
    guard includes(position) else { return .fault }
    if session.entity.isActorBound(at: position) { return actorBound(position) }
    return decoded(advance(), position).map { .value($0) } ?? .fault
  }

  /// Reads a constant property, which cannot be left as a fault.
  @inlinable
  public mutating func constant<T: _PersistenceRuntime.StorableValue>(_ position: Int) -> T {
    if case .value(let value) = slot(position) as Slot<T> { return value }
    return T._$placeholder
  }

  @inlinable
  public mutating func constant<T: _PersistenceRuntime.StorableValue>(_ position: Int) -> T? {
    if case .value(let value) = slot(position) as Slot<T?> { return value }
    return nil
  }

  package func storageClass(_ column: Int32) -> StorageClass? {
    StorageClass(rawValue: functions.pointee.storageClass(row, column))
  }

  // MARK: Missing values

  @inlinable
  func required<T: StorableValue>(_ value: T?, _ position: Int) -> T {
    if let value { return value }
    reportCorrupt(position, "the stored value is no \(T.self)")
    return T._$placeholder
  }

  @inlinable
  func rawValue<T: RawRepresentable>(_ value: T.RawValue?, _ position: Int) -> T? where T.RawValue: StorableValue {
    if let value, let result = T(rawValue: value) ?? T._$value(ofEscaped: value) { return result }
    reportCorrupt(position, "\(value.map { "\($0)" } ?? "the stored value") is no raw value of \(T.self)")
    return nil
  }

  /// Decodes a column of JSON; nil after reporting a failure.
  func decoded<T: Codable>(_ column: Int32, _ position: Int) -> T? {
    if let optional = T.self as? any OptionalValue.Type, isNull(column), let missing = optional.missing as? T {
      return missing
    }
    guard let text = String._$read(self, column) else {
      reportCorrupt(position, "the value is missing")
      return nil
    }
    do {
      return try JSONText.decode(T.self, from: text)
    } catch {
      session.failure.record(
        .corruptValue, property: position, key: key, "the stored JSON is no \(T.self)", underlying: error)
      return nil
    }
  }

  @usableFromInline
  package func reportCorrupt(_ position: Int, _ reason: String) {
    session.failure.record(.corruptValue, property: position, key: key, reason)
  }

  // MARK: Transformers

  /// Reads a property that a value transformer stores.
  public mutating func transformed<T>(_ position: Int) -> _PersistenceRuntime.Slot<T> {
    guard includes(position) else { return .fault }
    let column = advance()
    do {
      let data = isNull(column) ? nil : Data._$read(self, column)
      return .value(try session.transformers.value(of: data, property: session.entity.properties[position], as: T.self))
    } catch {
      session.failure.record(
        .corruptValue, property: position, key: key, "the transformer cannot read the stored bytes", underlying: error)
      return .fault
    }
  }

  /// Reads a constant that a value transformer stores, which cannot be left as a fault.
  public mutating func transformedConstant<T>(_ position: Int) -> T {
    self.value(of: self.transformed(position), position)
  }

  public mutating func refreshTransformed<T>(_ slot: _PersistenceRuntime.Slot<T>, _ position: Int) -> Bool {
    !isKept(position)
  }
}

extension RawRepresentable where RawValue: StorableValue {
  @inlinable
  static func _$read(_ row: RowReader, _ column: Int32) -> RawValue? {
    RawValue._$read(row, column)
  }
}
