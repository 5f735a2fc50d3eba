// Whether the row's value differs from the slot's. If so, the column is still to be read; if not, it was skipped.
// Values that are not Equatable count as different: an observer may be notified once too often, but never misses a
// change.

import PersistenceSupport

extension RowReader {
  @inlinable
  mutating func isKept(_ position: Int) -> Bool {
    guard includes(position) else { return !session.releases(position) }
    guard isPending(position) else { return false }
    column &+= 1
    return true
  }

  @inlinable
  package func isPending(_ position: Int) -> Bool {
    guard let current else { return false }
    return current.pointee.dirty & PropertyMask.bit(position) != 0
  }

  /// Whether the column that was just read is the one that failed, and not an earlier column of the row. Reads it again
  /// in isolation, because the row's other values are still decoded.
  @usableFromInline
  mutating func isUnreadable(from start: Int32, _ read: (inout RowReader) -> Void) -> Bool {
    column = start
    return failsAlone(read)
  }

  /// Whether a read fails, regardless of earlier failures in the row.
  package mutating func failsAlone(_ read: (inout RowReader) -> Void) -> Bool {
    let hadFailed = hasFailed.pointee
    hasFailed.pointee = false
    defer { if hadFailed { hasFailed.pointee = true } }
    read(&self)
    return hasFailed.pointee
  }

  @inlinable
  public mutating func refresh<T: _PersistenceRuntime.StorableValue>(
    _ slot: _PersistenceRuntime.Slot<T>, _ position: Int
  ) -> Bool {
    guard !isKept(position) else { return false }
    let start = column
    let new: Slot<T> = self.slot(position)
    if hasFailed.pointee, isUnreadable(from: start, { _ = $0.slot(position) as Slot<T> }) { return false }
    if case .value(let old) = slot, case .value(let value) = new, old._$isStored(as: value) { return false }
    column = start
    return true
  }

  @inlinable
  public mutating func refresh<T: _PersistenceRuntime.StorableValue>(
    _ slot: _PersistenceRuntime.Slot<T?>, _ position: Int
  ) -> Bool {
    guard !isKept(position) else { return false }
    let start = column
    let new: Slot<T?> = self.slot(position)
    if hasFailed.pointee, isUnreadable(from: start, { _ = $0.slot(position) as Slot<T?> }) { return false }
    if case .value(let old) = slot, case .value(let value) = new, isSame(old, value) { return false }
    column = start
    return true
  }

  @inlinable
  func isSame<T: StorableValue>(_ old: T?, _ new: T?) -> Bool {
    guard let old, let new else { return old == nil && new == nil }
    return old._$isStored(as: new)
  }

  @inlinable
  mutating func refreshComposite<T>(_ slot: Slot<T>, _ position: Int) -> Bool? {
    guard case .value(let value) = slot else { return refreshComposite(position, nil, ObjectIdentifier(T.self)) }
    return withUnsafePointer(to: value) { refreshComposite(position, UnsafeRawPointer($0), ObjectIdentifier(T.self)) }
  }

  @usableFromInline
  mutating func refreshJSON<T: Codable & Equatable>(_ slot: Slot<T>, _ position: Int) -> Bool {
    guard !isKept(position) else { return false }
    let start = column
    let new: Slot<T> = json(position)
    // A value that cannot be decoded leaves the object's value unchanged.
    if case .fault = new, includes(position) { return false }
    if case .value(let old) = slot, case .value(let value) = new, old == value { return false }
    column = start
    return true
  }

  /// Skips the columns of a constant property, which cannot change.
  @inlinable
  public mutating func skip<T>(_ value: T, _ position: Int) {
    pass(position)
  }

  @inlinable
  public mutating func skip<T: _PersistenceRuntime.StorableValue>(_ value: T, _ position: Int) {
    if includes(position) { column &+= 1 }
  }

  @inlinable
  public mutating func skip<T: _PersistenceRuntime.StorableValue>(_ value: T?, _ position: Int) {
    if includes(position) { column &+= 1 }
  }
}
