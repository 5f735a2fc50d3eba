import PersistenceSupport
import _CSwiftRuntime

extension _PersistenceRuntime {
  /// The rows of a fetch, one at a time, as generated code reads them.
  ///
  /// Columns are read in the order of the model's properties; every read advances to the next column. A column that
  /// cannot be decoded leaves its slot empty and a ``RowFailure``, which is settled after the row. Confined to the call
  /// that lends it.
  @frozen
  public struct RowReader {
    @usableFromInline package let row: OpaquePointer
    @usableFromInline package let functions: UnsafePointer<ColumnReadFunctions>
    // Unowned, because copies would count references per value: the creator retains the session until the reader is
    // done, and the reader does not escape that call.
    @usableFromInline package unowned(unsafe) let session: ReadSession
    @usableFromInline package let hasFailed: UnsafeMutablePointer<Bool>
    /// The properties whose columns are in the rows.
    @usableFromInline let mask: UInt64
    /// The object that is being refreshed. Its unsaved properties keep their values. That is tested property by
    /// property, because an observer of one may change another.
    @usableFromInline package var current: UnsafeMutablePointer<ModelState>?
    @usableFromInline package var column: Int32 = 0
    /// Whether the next row is there without a step.
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

    /// Moves to the next row; returns false after the last.
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

    /// Ends the state in which initial values of slots are skipped. Generated initialisers call it first.
    @inlinable
    public mutating func beginModel() {
      osd_set_decoding(false)
    }

    /// Creates or refreshes the context's object of every row.
    ///
    /// Not inlinable: a copy for each model would be a fifth of what a model adds to an optimised program, and saves
    /// some 30 of 4,000 instructions for each row.
    public mutating func decodeAll<T: PersistentModel>(_ type: T.Type) throws {
      let identityMap = session.identityMap
      let isGenerated = T._$isGenerated
      let flags: ModelState.Flags = session.isPartial ? .fault : []
      // The session retains both: reference counting per row would cost as much as a column.
      let group = session.group.map { Unmanaged.passUnretained($0) }
      let members = session.members.map { Unmanaged.passUnretained($0) }
      var objects = session.takeObjects()
      var maps = BatchedRetains(identityMap)
      var groups = session.group.map { BatchedRetains($0) }
      if let members, let owner = members._withUnsafeGuaranteedRef({ $0.onlyOwner }) {
        session.expectedRetains = BatchedRetains(owner)
      }
      defer {
        // The objects must live until they are in the table.
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
        // Unmanaged until it is handed over, for the same reason.
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

    /// Starts a row of a relationship query; returns false if its owner is not requested.
    @inlinable
    func begin(in members: MemberCollection) -> Bool {
      guard let owner = members.begin(self) else { return false }
      session.expected = (members.ownerPosition, owner)
      return true
    }

    /// Adds the row's object to those of its owner.
    @inlinable
    package func collect(_ object: Unmanaged<AnyObject>, key: Int64, in members: MemberCollection) {
      members.append(object, key: key)
      let column = members.positionColumn
      // Another program may have put there what is no number: it counts as no position.
      if functions.pointee.storageClass(row, column) <= StorageClass.real.rawValue {
        members.note(position: functions.pointee.real(row, column), of: key)
      }
    }

    /// The properties that the row contains, or that are implied by how it was found.
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
      // A deleted object keeps its last values, once it has them.
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

// Called by generated code of subclasses. A class reads its own columns apart from the inherited ones: they are not
// adjacent in a fetch of the superclass, and an initialiser sets its own properties first.

extension RowReader {
  /// Moves to the columns of the class whose properties begin at a position.
  public mutating func enter(_ firstPosition: Int) {
    column = session.column(of: firstPosition)
  }

  package func integer(at column: Int32) -> Int64 { functions.pointee.integer(row, column) }

  /// Moves to the columns of the root, and lets the superclasses skip the initial values of their slots.
  public mutating func beginSupermodel() {
    column = 1
    osd_set_decoding(true)
  }
}
