import Foundation
import PersistenceSupport
import _CSwiftRuntime

extension _PersistenceRuntime {
  /// Reads the rows of a fetch, one at a time. Generated code uses it to read the columns of a model.
  ///
  /// Columns are read in the order of the model's properties; every read advances to the next column. If a column
  /// cannot be decoded, its slot stays empty, and a ``RowFailure`` is recorded and handled after the row. The reader is
  /// valid only during the call to which it is passed.
  @frozen
  public struct RowReader {
    @usableFromInline package let row: OpaquePointer
    @usableFromInline package let functions: UnsafePointer<ColumnReadFunctions>
    // Unowned, because copies of the reader would change reference counts for every value. The creator retains the
    // session until the reader is done, and the reader does not escape the creator's call.
    @usableFromInline package unowned(unsafe) let session: ReadSession
    @usableFromInline package let hasFailed: UnsafeMutablePointer<Bool>
    /// The properties whose columns are in the rows.
    @usableFromInline let mask: UInt64
    /// The object that is being refreshed. Its unsaved properties keep their values. Each property is tested for
    /// unsaved changes when it is read, because an observer of one property may change another one.
    @usableFromInline package var current: UnsafeMutablePointer<ModelState>?
    @usableFromInline package var column: Int32 = 0
    /// Whether the cursor is already on the next row, so that ``next()`` need not advance it.
    @usableFromInline var isOnNextRow: Bool

    package init(_ rows: EngineRows, session: ReadSession, mask: UInt64) {
      self.row = rows.row
      self.functions = rows.functions
      self.session = session
      self.hasFailed = session.failure.hasFailed
      self.mask = mask & session.entity.storedMask
      self.isOnNextRow = rows.isOnFirstRow
      if let values = rows.externalValues { session.externalValues = values }
      if let cipher = rows.cipher { session.cipher = cipher }
    }

    /// Advances to the next row; returns false after the last row.
    @inlinable
    package mutating func next() throws -> Bool {
      if isOnNextRow {
        isOnNextRow = false
        return true
      }
      let code = functions.pointee.step(row)
      if code == functions.pointee.rowCode { return true }
      if code == functions.pointee.doneCode { return false }
      throw session.error(code)
    }

    @inlinable
    package var key: Int64 { functions.pointee.integer(row, 0) }

    @inlinable
    package func includes(_ position: Int) -> Bool {
      mask & PropertyMask.bit(position) != 0
    }

    @inlinable
    package mutating func advance() -> Int32 {
      let current = column
      column &+= 1
      return current
    }

    @inlinable
    package func isNull(_ column: Int32) -> Bool {
      functions.pointee.storageClass(row, column) == StorageClass.null.rawValue
    }

    /// Ends the decoding mode, in which new slots skip their initial values. Generated initialisers call this first.
    @inlinable
    public mutating func beginModel() {
      osd_set_decoding(false)
    }

    /// Creates or refreshes the context's object of every row.
    ///
    /// Not inlinable: a copy for each model would be a fifth of the code that a model adds to an optimised program. It
    /// would save only some 30 of 4,000 instructions for each row.
    ///
    /// - Throws: The error of the engine, or the error of an object whose row cannot be read.
    public mutating func decodeAll<T: PersistentModel>(_ type: T.Type) throws {
      let identityMap = session.identityMap
      let isGenerated = T._$isGenerated
      let flags: ModelState.Flags = session.isPartial ? .fault : []
      // Unmanaged, since the session retains both: counting references per row takes as long as reading a column.
      let group = session.group.map { Unmanaged.passUnretained($0) }
      let members = session.members.map { Unmanaged.passUnretained($0) }
      var objects = session.takeObjects()
      var maps = BatchedRetains(identityMap)
      var groups = session.group.map { BatchedRetains($0) }
      if let members, let owner = members._withUnsafeGuaranteedRef({ $0.onlyOwner }) {
        session.expectedRetains = BatchedRetains(owner)
      }
      defer {
        // The objects must live until they are in the identity map.
        withExtendedLifetime(objects) { identityMap.flush() }
        maps.close()
        groups?.close()
        session.expectedRetains?.close()
      }
      var count: UInt8 = 0
      while try next() {
        count &+= 1
        if count == 0 { try session.stopIfCancelled() }
        let key = self.key
        guard key != 0 else {
          leaveOutRow()
          continue
        }
        if let members, !members._withUnsafeGuaranteedRef({ begin(in: $0) }) { continue }
        // Unmanaged until the object is passed on, to avoid reference counting.
        let object: Unmanaged<T>
        if let known = identityMap.object(ofRow: key) {
          object = .passRetained(unsafeDowncast(known, to: T.self))
          object._withUnsafeGuaranteedRef { refresh($0) }
        } else {
          column = 1
          current = nil
          object = .passRetained(T._$make(&self))
          let counted = maps.take()
          object._withUnsafeGuaranteedRef { $0._$state.pointee.belong(to: counted, key: key, flags: flags) }
          if !isGenerated { object._withUnsafeGuaranteedRef { identityMap.keep($0, key: key) } }
          identityMap.enqueue(object.toOpaque(), key: key)
        }
        if let group, let counted = groups?.take() {
          object._withUnsafeGuaranteedRef { object in
            group._withUnsafeGuaranteedRef { object._$join($0, counted: counted, key: key) }
          }
        }
        if let members {
          members._withUnsafeGuaranteedRef { collect(.fromOpaque(object.toOpaque()), key: key, in: $0) }
        } else {
          objects.append(object.takeRetainedValue())
        }
        if hasFailed.pointee { try object._withUnsafeGuaranteedRef { try session.settle($0, mask: knownMask) } }
      }
      session.objects = objects
    }

    /// Starts a row of a relationship query; returns false if the row's owner is not among the requested owners.
    @inlinable
    func begin(in members: MemberCollection) -> Bool {
      guard let owner = members.begin(self) else { return false }
      session.expected = (members.ownerPosition, owner)
      return true
    }

    /// Adds the row's object to the related objects of the row's owner.
    @inlinable
    package func collect(_ object: Unmanaged<AnyObject>, key: Int64, in members: MemberCollection) {
      members.append(object, key: key)
      let column = members.positionColumn
      // A position that is not a number, which another program may have written, is ignored.
      if functions.pointee.storageClass(row, column) <= StorageClass.real.rawValue {
        members.note(position: functions.pointee.real(row, column), of: key)
      }
    }

    /// The properties that the row determines: those with columns and, in a query by owner, the reference to the owner.
    @inlinable
    package var knownMask: UInt64 {
      guard let expected = session.expected else { return mask }
      return mask | PropertyMask.bit(expected.position)
    }

    /// Updates a registered object from its row, except for unsaved properties.
    @inlinable
    package mutating func refresh<T: PersistentModel>(_ object: T) {
      column = 1
      let state = object._$state
      current = state
      let flags = state.pointee.flags
      // An object with a deleted row is not read. An object that a save will delete is read only while it is a fault.
      guard !flags.contains(.gone), flags.contains(.fault) || !flags.contains(.deleted) else { return }
      object._$read(&self)
      if state.pointee.flags.contains(.fault) || state.pointee.hasFailedReads { didRefresh(object) }
    }

    @inlinable
    func didRefresh<T: PersistentModel>(_ object: T) {
      guard !hasFailed.pointee else { return }
      if session.entity.storedMask & ~knownMask == 0 { object._$state.pointee.flags.remove(.fault) }
      if object._$state.pointee.hasFailedReads { session.identityMap.didReadRow(of: object, mask: knownMask) }
    }
  }
}

// Generated code of subclasses calls these functions. A class reads its own and its inherited columns separately: in a
// fetch of the superclass the two are not adjacent, and an initialiser sets the properties of its own class first.

extension RowReader {
  /// Moves to the columns of the class whose first property has the given position.
  public mutating func enter(_ firstPosition: Int) {
    column = session.column(of: firstPosition)
  }

  package func integer(at column: Int32) -> Int64 { functions.pointee.integer(row, column) }

  /// Moves to the columns of the root class, and makes new slots of the superclasses skip their initial values.
  public mutating func beginSupermodel() {
    column = 1
    osd_set_decoding(true)
  }
}

// Generated code reads columns into slots with these overloads. They select the storage by the property's type, which
// the macro does not know. Types are stored directly, as raw values, or by their Codable conformance. See ``_$Rank1``.

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

  /// Reads a constant property. A constant cannot be a fault, so it gets a placeholder if the column is unreadable.
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

  /// The value of a column that stores raw values; nil after reporting a failure.
  @inlinable
  func rawValue<T: RawRepresentable>(at column: Int32, _ position: Int) -> T? where T.RawValue: StorableValue {
    if let value = T._$read(self, column), let result = T(rawValue: value) { return result }
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

  /// Reads a property whose value a value transformer converts.
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

  /// Reads a constant whose value a value transformer converts. An unreadable column yields a placeholder.
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
    RawValue._$readRaw(row, column, of: Self.self)
  }
}

// `refresh` returns true if the row's value differs from the slot's value. The caller then reads the column. Otherwise
// the column was skipped. Values that are not Equatable count as different, so observers may be notified needlessly.

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

  /// Whether a read returned an empty slot because the column cannot be decoded. A slot that was already empty then
  /// needs no change. A slot with a value is emptied, because its value is no longer the stored value.
  @inlinable
  func isStillUnread<Value>(_ new: Slot<Value>, _ position: Int) -> Bool {
    guard case .fault = new else { return false }
    return includes(position)
  }

  /// Whether the caller must read an empty slot. If not, the property's columns have been skipped.
  ///
  /// If the object has failed reads, the read is tried here. If it fails again, observers must not be notified.
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

  /// Whether two equal raw values are stored identically. True for an enum, because its cases define the raw values.
  @inlinable
  func isSameSpelling<Value: StorableValue>(_ old: Value?, _ new: Value?, of type: any Any.Type) -> Bool {
    Value.self != String.self || isSame(old, new) || !keepsSpelling(type)
  }

  @usableFromInline
  func keepsSpelling(_ type: any Any.Type) -> Bool { RawStorage.keepsOriginals(type) }

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

  /// Skips the columns of a constant property, whose value never changes.
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
