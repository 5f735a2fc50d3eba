import Foundation
import PersistenceSupport

// How generated code reads columns into slots. Overloads select the storage by the property's type, which the macro
// does not know: a directly stored value, a raw-value enum, another Codable value. See ``_$Rank1`` for their order.

extension RowReader {
  @inlinable
  public mutating func slot<T: _PersistenceRuntime.StorableValue>(_ position: Int) -> _PersistenceRuntime.Slot<T> {
    guard includes(position) else { return .fault }
    let column = advance()
    guard let value = T._$read(self, column) else {
      reportUnreadable(position, column, T.self)
      return .fault
    }
    return .value(value)
  }

  @inlinable
  public mutating func slot<T: _PersistenceRuntime.StorableValue>(_ position: Int) -> _PersistenceRuntime.Slot<T?> {
    guard includes(position) else { return .fault }
    let column = advance()
    guard !isNull(column) else { return .value(nil) }
    guard let value = T._$read(self, column) else {
      reportUnreadable(position, column, T.self)
      return .fault
    }
    return .value(value)
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

  // MARK: Checked values

  /// The value of a column with raw values; nil after reporting a failure.
  @inlinable
  func rawValue<T: RawRepresentable>(at column: Int32, _ position: Int) -> T? where T.RawValue: StorableValue {
    if let value = T._$read(self, column), let result = T(rawValue: value) ?? T._$value(ofEscaped: value) {
      return result
    }
    reportNoRawValue(position, column, T.self)
    return nil
  }

  /// Decodes a column of JSON; nil after reporting a failure.
  func decoded<T: Codable>(_ column: Int32, _ position: Int) -> T? {
    if let optional = T.self as? any OptionalValue.Type, isNull(column), let missing = optional.missing as? T {
      return missing
    }
    guard let text = String._$read(self, column) else {
      reportUnreadable(position, column, T.self)
      return nil
    }
    do {
      return try JSONText.decode(T.self, from: text)
    } catch {
      reportUnreadable(position, column, as: "no JSON of \(T.self)", underlying: error)
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
      reportUnreadable(position, column, as: "nothing that the transformer can read", underlying: error)
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
