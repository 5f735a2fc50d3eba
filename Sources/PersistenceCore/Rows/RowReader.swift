import CSwiftRuntime

/// The rows of a fetch, one at a time, as generated code reads them.
///
/// Columns are read in the order in which the model declares its properties; every read moves on to the next column.
/// A column that cannot be decoded leaves a placeholder and a ``RowFailure``, and the fetch throws after the row.
/// Confined to the call that hands it out.
@frozen
public struct RowReader {
  @usableFromInline let row: OpaquePointer
  @usableFromInline let functions: UnsafePointer<ColumnReadFunctions>
  @usableFromInline unowned(unsafe) let session: ReadSession
  @usableFromInline let hasFailed: UnsafeMutablePointer<Bool>
  /// The properties whose columns are in the row.
  @usableFromInline let mask: UInt64
  /// The object that takes the row's values. What waits to be saved in it keeps its value, whatever the row says; that is
  /// looked at property by property, because observers of one may change another.
  @usableFromInline var current: UnsafeMutablePointer<ModelState>?
  @usableFromInline var column: Int32 = 0

  package init(_ rows: EngineRows, session: ReadSession, mask: UInt64) {
    self.row = rows.row
    self.functions = rows.functions
    self.session = session
    self.hasFailed = session.failure.hasFailed
    self.mask = mask & session.entity.storedMask
    if let values = rows.externalValues { session.externalValues = values }
    if let cipher = rows.cipher { session.cipher = cipher }
  }

  /// Moves to the next row; false after the last.
  @inlinable
  package mutating func next() throws -> Bool {
    let code = functions.pointee.step(row)
    if code == functions.pointee.rowCode { return true }
    if code == functions.pointee.doneCode { return false }
    throw session.error(code)
  }

  @inlinable
  package var key: Int64 { functions.pointee.integer(row, 0) }

  @inlinable
  func includes(_ position: Int) -> Bool {
    mask & PropertyMask.bit(position) != 0
  }

  @inlinable
  mutating func advance() -> Int32 {
    let current = column
    column &+= 1
    return current
  }

  @inlinable
  func isNull(_ column: Int32) -> Bool {
    functions.pointee.storageClass(row, column) == StorageClass.null.rawValue
  }

  /// Ends the time in which initial values of slots are skipped. Generated initialisers call it first.
  @inlinable
  public mutating func beginModel() {
    osd_set_decoding(false)
  }

  /// Turns every row into the context's object of its key.
  @inlinable
  public mutating func decodeAll<T: PersistentModel>(_ type: T.Type) throws {
    let identityMap = session.identityMap
    let flags: ModelState.Flags = session.isPartial ? .fault : []
    // The session, which is kept alive, keeps both: counting references for every row would cost as much as a column.
    unowned(unsafe) let group = session.group
    unowned(unsafe) let members = session.members
    var objects = session.takeObjects()
    var count: UInt8 = 0
    while try next() {
      count &+= 1
      if count == 0 { try session.stopIfCancelled() }
      let key = self.key
      guard key != 0 else { throw session.keyIsZero() }
      if let members {
        let owner = functions.pointee.integer(row, members.ownerColumn)
        guard let object = members.begin(owner) else { continue }
        session.expected = (members.ownerPosition, object)
      }
      let object: T
      if let known = identityMap.object(for: key) {
        object = unsafeDowncast(known, to: T.self)
        refresh(object)
      } else {
        column = 1
        current = nil
        object = T._$make(&self)
        object._$register(key, in: identityMap, flags: flags)
      }
      if let group { object._$join(group, key: key) }
      if let members { collect(object, key: key, in: members) } else { objects.append(object) }
      if hasFailed.pointee { try session.throwFailure() }
    }
    session.objects = objects
  }

  @inlinable
  func collect(_ object: AnyObject, key: Int64, in members: MemberCollection) {
    members.append(object, key: key)
    let column = members.positionColumn
    if !isNull(column) { members.note(position: functions.pointee.real(row, column), of: key) }
  }

  /// Gives a registered object the values of its row, but for those that wait to be saved.
  @inlinable
  package mutating func refresh<T: PersistentModel>(_ object: T) {
    column = 1
    current = object._$state
    if object._$state.pointee.flags.isDisjoint(with: [.deleted, .gone]) {
      object._$read(&self)
      if mask & session.entity.storedMask == session.entity.storedMask {
        object._$state.pointee.flags.remove(.fault)
      }
    }
  }
}
