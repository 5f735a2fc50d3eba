import PersistenceSupport
import _CSwiftRuntime

extension _PersistenceRuntime {
  /// The rows of an insert or update, one at a time, as generated code writes them.
  ///
  /// Columns are written in the order of the model's properties; every write advances to the next parameter. Confined
  /// to the call that lends it.
  @frozen
  public struct RowWriter {
    @usableFromInline package let statement: OpaquePointer
    @usableFromInline package let functions: UnsafePointer<ColumnWriteFunctions>
    // Unowned, for the reason given in ``RowReader``.
    @usableFromInline package unowned(unsafe) let session: WriteSession
    // Copied from the session, because access through it would count references per value.
    @usableFromInline let arena: UnsafeMutablePointer<ByteArenaCursor>
    @usableFromInline let hasFailed: UnsafeMutablePointer<Bool>
    /// The properties whose columns are written.
    @usableFromInline let mask: UInt64
    /// Whether texts and numbers are bound in their stored form, and not as they are.
    let storesForms: Bool
    @usableFromInline var parameter: Int32 = 1
    /// The index of the row's object in the session.
    @usableFromInline var index = 0

    package init(_ statement: EngineStatement, session: WriteSession, mask: UInt64) {
      self.statement = statement.statement
      self.functions = statement.functions
      self.session = session
      self.arena = session.arena.cursor
      self.hasFailed = session.failure.hasFailed
      self.mask = mask & session.entity.storedMask
      self.storesForms = statement.storesForms
      if let originals = statement.originals { session.begin(originals) }
      if let values = statement.externalValues { session.externalValues = values }
      if let cipher = statement.cipher { session.cipher = cipher }
    }

    @inlinable
    package func includes(_ position: Int) -> Bool {
      mask & PropertyMask.bit(position) != 0
    }

    /// Writes every object of the session. Not inlinable, for the reason given at ``RowReader/decodeAll(_:)``.
    public mutating func encodeAll<T: PersistentModel>(_ type: T.Type) throws {
      let keyComesFirst = session.keyComesFirst
      let objects = session.objects
      // The session retains the objects: reference counting per row would cost as much as a column.
      for index in objects.indices {
        let model = Unmanaged.passUnretained(unsafeDowncast(objects[index], to: T.self))
        let key = model._withUnsafeGuaranteedRef { $0._$state.pointee.primaryKey }
        beginRow(at: index)
        if keyComesFirst { check(functions.pointee.integer(statement, advance(), key), 0) }
        model._withUnsafeGuaranteedRef { $0._$write(&self) }
        if !keyComesFirst { check(functions.pointee.integer(statement, advance(), key), 0) }
        if hasFailed.pointee { try mendRow(at: index) }
        let code = functions.pointee.step(statement)
        if code != 0 { try session.take(code, at: index) }
      }
    }

    @inlinable
    mutating func beginRow(at index: Int) {
      self.index = index
      parameter = 1
      arena.pointee.next = arena.pointee.start
      if arena.pointee.needsPreparation { session.prepareRow(at: index, mask: mask) }
    }

    @inlinable
    package mutating func advance() -> Int32 {
      let current = parameter
      parameter &+= 1
      return current
    }

    @inlinable
    package func check(_ code: Int32, _ position: Int) {
      if code != 0 { reportUnbound(code, position) }
    }

    @usableFromInline
    func reportUnbound(_ code: Int32, _ position: Int) {
      session.failure.record(
        .valueNotStorable, property: position, key: nil, "the store refuses the value", underlying: session.error(code))
    }

    /// Binds the former values of postponed references, which are no failure, and throws if the row has a failure.
    @usableFromInline
    func mendRow(at index: Int) throws {
      for (position, parameter) in session.takePostponed() { bindFormerReference(parameter, position, at: index) }
      try session.throwFailure()
    }

    /// Binds the stored form of a text, which stays at its address until the row is written. Not inlined, as
    /// ``encodeAll(_:)`` is not.
    @usableFromInline
    func bindString(_ text: String, _ parameter: Int32) -> Int32 {
      let code = text.utf8.withContiguousStorageIfAvailable { bytes in
        osd_is_stored_form(bytes.baseAddress, bytes.count) ? bind(bytes, parameter) : bindForm(of: text, parameter)
      }
      return code ?? bindString(contiguous(text), parameter)
    }

    /// Binds a text as it is, which stays at its address until the row is written.
    @usableFromInline
    func bindText(_ text: String, _ parameter: Int32) -> Int32 {
      text.utf8.withContiguousStorageIfAvailable { bind($0, parameter) } ?? bindText(contiguous(text), parameter)
    }

    @inline(__always)
    private func bind(_ text: UnsafeBufferPointer<UInt8>, _ parameter: Int32) -> Int32 {
      functions.pointee.text(
        statement, parameter, copy(UnsafeRawBufferPointer(text)).assumingMemoryBound(to: UInt8.self), text.count)
    }

    /// A text that was not contiguous, such as bridged text.
    private func contiguous(_ text: String) -> String {
      var text = text
      text.makeContiguousUTF8()
      return text
    }

    /// Binds bytes that stay at their address until the row is written.
    @inlinable
    func bindBytes(_ bytes: UnsafeRawBufferPointer, _ parameter: Int32) -> Int32 {
      functions.pointee.blob(statement, parameter, copy(bytes), bytes.count)
    }

    @inlinable
    func copy(_ bytes: UnsafeRawBufferPointer) -> UnsafeMutableRawPointer {
      let target = arena.pointee.next
      guard bytes.count <= arena.pointee.end - target else { return session.arena.copyLarge(bytes) }
      if let source = bytes.baseAddress { target.copyMemory(from: source, byteCount: bytes.count) }
      arena.pointee.next = target + bytes.count
      return target
    }
  }
}
