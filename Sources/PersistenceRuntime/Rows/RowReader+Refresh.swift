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
    if case .value(let old) = slot {
      if case .value(let value) = new, old._$isStored(as: value) { return false }
    } else if isStillUnread(new, position) {
      return false
    }
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
    if case .value(let old) = slot {
      if case .value(let value) = new, isSame(old, value) { return false }
    } else if isStillUnread(new, position) {
      return false
    }
    column = start
    return true
  }

  /// Whether an empty slot stays empty, because its column cannot be read. A slot with a value is emptied then: the row
  /// does not have the value any more.
  @inlinable
  func isStillUnread<Value>(_ new: Slot<Value>, _ position: Int) -> Bool {
    guard case .fault = new else { return false }
    return includes(position)
  }

  /// Whether an empty slot gets a value. If not, its columns were skipped.
  ///
  /// Asked only for objects with failed reads: their observers are not to hear of every fetch.
  @usableFromInline
  mutating func fills<Value>(_ position: Int, _ read: (inout RowReader) -> Slot<Value>) -> Bool {
    guard let current, current.pointee.hasFailedReads, includes(position) else { return true }
    let start = column
    if case .fault = read(&self) { return false }
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
    if case .value(let old) = slot {
      if case .value(let value) = new, old == value { return false }
    } else if isStillUnread(new, position) {
      return false
    }
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
