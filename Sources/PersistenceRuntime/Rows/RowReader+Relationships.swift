// Relationships in rows. A to-one relationship is the key of the destination's row, decoded as the context's object of
// that key, possibly a fault. A to-many relationship has no column and is loaded on first access.

import PersistenceSupport

extension RowReader {
  @inlinable
  public mutating func slot<T: PersistentModel>(_ position: Int) -> _PersistenceRuntime.Slot<T> {
    if let expected = expectedObject(T.self, at: position) { return .value(expected) }
    guard includes(position) else { return .fault }
    let column = advance()
    guard !isNull(column) else {
      reportMissing(position, column)
      return .fault
    }
    guard let object = related(T.self, at: column, position) else { return .fault }
    return .value(object)
  }

  @inlinable
  public mutating func slot<T: PersistentModel>(_ position: Int) -> _PersistenceRuntime.Slot<T?> {
    if let expected = expectedObject(T.self, at: position) { return .value(expected) }
    guard includes(position) else { return .fault }
    let column = advance()
    guard !isNull(column) else { return .value(nil) }
    guard let object = related(T.self, at: column, position) else { return .fault }
    return .value(object)
  }

  /// The object that the row is known to refer to, because the row was found by it. Skips the column, if there is one.
  @inlinable
  @inline(__always)
  mutating func expectedObject<T: PersistentModel>(_ type: T.Type, at position: Int) -> T? {
    let session = Unmanaged.passUnretained(session)
    guard let counted = session._withUnsafeGuaranteedRef({ $0.takeExpected(at: position) }) else { return nil }
    if includes(position) { column &+= 1 }
    return unsafeDowncast(counted.takeRetainedValue(), to: T.self)
  }

  /// Whether the row, which lacks the column, is known to refer to another object.
  func expectsOther(than object: AnyObject?, at position: Int) -> Bool {
    guard let expected = session.expected, expected.position == position, !isPending(position) else { return false }
    return object.map { Unmanaged.passUnretained($0).toOpaque() } != expected.object.toOpaque()
  }

  /// The object of the key in a column; nil if it is looked up later. That is so for a row that refers to itself, since
  /// its object is registered after its columns are read, and for a row that may not exist.
  @inlinable
  func related<T: PersistentModel>(_ type: T.Type, at column: Int32, _ position: Int) -> T? {
    let related = functions.pointee.integer(row, column)
    if session.danglingMask & PropertyMask.bit(position) != 0 || related == key {
      return relatedLater(type, related, position)
    }
    return session.related(type, key: related).map { unsafeDowncast($0, to: T.self) }
  }

  @usableFromInline
  func relatedLater<T: PersistentModel>(_ type: T.Type, _ related: Int64, _ position: Int) -> T? {
    if session.danglingMask & PropertyMask.bit(position) != 0 { return nil }
    if T.self == session.entity.modelType { return session.identityMap.object(for: key) as? T }
    return session.related(type, key: related).map { unsafeDowncast($0, to: T.self) }
  }

  @usableFromInline
  package func reportMissing(_ position: Int, _ column: Int32) {
    let destination = session.entity.relationship(at: position)?.destination ?? "model"
    reportUnreadable(position, column, as: "no key of a \(destination)")
  }

  @inlinable
  public mutating func slot<T: PersistentModel>(_ position: Int) -> _PersistenceRuntime.Slot<[T]> { .fault }

  @inlinable
  public mutating func slot<T: PersistentModel>(_ position: Int) -> _PersistenceRuntime.Slot<[T]?> { .fault }

  public mutating func refresh<T: PersistentModel>(_ slot: _PersistenceRuntime.Slot<T>, _ position: Int) -> Bool {
    if session.releasesRelationships { return true }
    if isColumnless(position) { return isLoaded(slot, position) }
    guard includes(position) else { return expectsOther(than: slot.known, at: position) }
    guard !isKept(position) else { return false }
    guard case .value(let old) = slot else { return fills(position) { $0.slot(position) as Slot<T> } }
    guard old._$state.pointee.primaryKey == functions.pointee.integer(row, column) else { return true }
    column &+= 1
    return false
  }

  public mutating func refresh<T: PersistentModel>(_ slot: _PersistenceRuntime.Slot<T?>, _ position: Int) -> Bool {
    if session.releasesRelationships { return true }
    if isColumnless(position) { return isLoaded(slot, position) }
    guard includes(position) else { return expectsOther(than: slot.known ?? nil, at: position) }
    guard !isKept(position) else { return false }
    guard case .value(let old) = slot else { return fills(position) { $0.slot(position) as Slot<T?> } }
    let stored = isNull(column) ? nil : functions.pointee.integer(row, column)
    guard old?._$state.pointee.primaryKey == stored else { return true }
    column &+= 1
    return false
  }

  /// Whether the column of the inverse stores a to-one relationship.
  private func isColumnless(_ position: Int) -> Bool {
    session.entity.properties[position].columns.isEmpty
  }

  private func isLoaded<Value>(_ slot: Slot<Value>, _ position: Int) -> Bool {
    guard !isPending(position), case .value = slot else { return false }
    return mask != 0 || session.mayRelease(position)
  }

  /// A loaded to-many relationship becomes a fault, reloaded on next access.
  @inlinable
  public mutating func refresh<T: PersistentModel>(_ slot: _PersistenceRuntime.Slot<[T]>, _ position: Int) -> Bool {
    guard !isPending(position), case .value = slot else { return false }
    return mask != 0 || session.mayRelease(position)
  }

  @inlinable
  public mutating func refresh<T: PersistentModel>(_ slot: _PersistenceRuntime.Slot<[T]?>, _ position: Int) -> Bool {
    guard !isPending(position), case .value = slot else { return false }
    return mask != 0 || session.mayRelease(position)
  }
}

extension RowReader {
  /// Reads the next row and returns the key in the column of a to-one relationship. Properties from the 64th on share a
  /// mask bit, so other columns may be present.
  package func reference(at position: Int) throws -> Int64? {
    var reader = self
    return try reader.next() ? reader.currentReference(at: position) : nil
  }

  /// The key in the column of a to-one relationship in this row.
  package func currentReference(at position: Int) -> Int64? {
    let before = session.entity.properties[..<position].filter { includes($0.position) }
    let column = Int32(1 + before.reduce(0) { $0 + $1.columns.count })
    return isNull(column) ? nil : functions.pointee.integer(row, column)
  }
}
