import PersistenceSupport
import _CSwiftRuntime

extension _PersistenceRuntime {
  /// Writes the rows of an insert or update, one at a time. Generated code uses it to write the properties of a model.
  ///
  /// Values are written in the order of the model's properties; every write advances to the next parameter. The writer
  /// is valid only during the call to which it is passed.
  @frozen
  public struct RowWriter {
    @usableFromInline package let statement: OpaquePointer
    @usableFromInline package let functions: UnsafePointer<ColumnWriteFunctions>
    // Unowned, because copies of the writer would change reference counts for every value.
    @usableFromInline package unowned(unsafe) let session: WriteSession
    // Copied from the session, because access through the session would change reference counts for every value.
    @usableFromInline let arena: UnsafeMutablePointer<ByteArenaCursor>
    @usableFromInline let hasFailed: UnsafeMutablePointer<Bool>
    /// The properties whose columns are written.
    @usableFromInline let mask: UInt64
    /// Whether to normalise texts (``StoredText``) and bind -0.0 as 0, the same as ``EngineStatement/storesForms``.
    let storesForms: Bool
    @usableFromInline var parameter: Int32 = 1
    /// The index of the row's object in ``WriteSession/objects``.
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

    /// Writes every object of the session. Not inlinable, to keep a model's code small (``RowReader/decodeAll(_:)``).
    ///
    /// - Throws: The error of a row that cannot be written.
    public mutating func encodeAll<T: PersistentModel>(_ type: T.Type) throws {
      let keyComesFirst = session.keyComesFirst
      let objects = session.objects
      // The session retains the objects. Reference counting per row would take as long as writing a column.
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
    package mutating func beginRow(at index: Int) {
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

    /// Binds the former values of the references that are postponed to the next save. Throws if the row has a failure.
    @usableFromInline
    func mendRow(at index: Int) throws {
      for (position, parameter) in session.takePostponed() { bindFormerReference(parameter, position, at: index) }
      try session.throwFailure()
    }

    /// Binds the stored form (``StoredText``) of a text. Its bytes keep their address until the row is written. Not
    /// inlined, to keep a model's code small (``RowReader/decodeAll(_:)``).
    @usableFromInline
    func bindString(_ text: String, _ parameter: Int32) -> Int32 {
      let code = text.utf8.withContiguousStorageIfAvailable { bytes in
        osd_is_stored_form(bytes.baseAddress, bytes.count) ? bind(bytes, parameter) : bindForm(of: text, parameter)
      }
      return code ?? bindString(contiguous(text), parameter)
    }

    /// Binds a text unchanged. Its bytes keep their address until the row is written.
    @usableFromInline
    func bindText(_ text: String, _ parameter: Int32) -> Int32 {
      text.utf8.withContiguousStorageIfAvailable { bind($0, parameter) } ?? bindText(contiguous(text), parameter)
    }

    @inline(__always)
    private func bind(_ text: UnsafeBufferPointer<UInt8>, _ parameter: Int32) -> Int32 {
      functions.pointee.text(
        statement, parameter, copy(UnsafeRawBufferPointer(text)).assumingMemoryBound(to: UInt8.self), text.count)
    }

    /// A contiguous copy of a text that was not contiguous, such as bridged text.
    private func contiguous(_ text: String) -> String {
      var text = text
      text.makeContiguousUTF8()
      return text
    }

    /// Binds bytes, which keep their address until the row is written.
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

// Generated code writes slots to columns with these overloads, the counterparts of the reader's overloads. A fault
// cannot be written: the caller first reads the property from the store.

extension RowWriter {
  @inlinable
  @inline(__always)
  public mutating func write<T: _PersistenceRuntime.StorableValue>(_ slot: _PersistenceRuntime.Slot<T>, _ position: Int)
  {
    guard includes(position) else { return }
    let parameter = advance()
    guard case .value(let value) = slot else { return reportFault(position) }
    check(value._$bind(&self, parameter), position)
  }

  @inlinable
  @inline(__always)
  public mutating func write<T: _PersistenceRuntime.StorableValue>(
    _ slot: _PersistenceRuntime.Slot<T?>, _ position: Int
  ) {
    guard includes(position) else { return }
    let parameter = advance()
    guard case .value(let value) = slot else { return reportFault(position) }
    guard let value else { return check(functions.pointee.null(statement, parameter), position) }
    check(value._$bind(&self, parameter), position)
  }

  @usableFromInline
  mutating func writeJSON<T: Codable>(_ slot: Slot<T>, _ position: Int) {
    guard includes(position) else { return }
    if session.entity.isActorBound(at: position) { return writeActorBound(slot, position) }
    let parameter = advance()
    guard case .value(let value) = slot else { return reportFault(position) }
    bindJSON(value, parameter, position)
  }

  @usableFromInline
  mutating func writeOptionalJSON<T: Codable>(_ slot: Slot<T?>, _ position: Int) {
    guard includes(position) else { return }
    if session.entity.isActorBound(at: position) { return writeActorBound(slot, position) }
    let parameter = advance()
    guard case .value(let value) = slot else { return reportFault(position) }
    guard let value else { return check(functions.pointee.null(statement, parameter), position) }
    bindJSON(value, parameter, position)
  }

  package func bindJSON<T: Encodable>(_ value: T, _ parameter: Int32, _ position: Int) {
    do {
      check(bindText(try JSONText.encode(value), parameter), position)
    } catch {
      session.failure.record(
        .valueNotStorable, property: position, key: nil, "the value of type \(T.self) cannot be encoded",
        underlying: error)
    }
  }

  @usableFromInline
  package func reportFault(_ position: Int) {
    session.failure.record(
      .valueNotStorable, property: position, key: nil,
      "there is no value: it was never read, or code that changes it in place saves before the change ends")
  }

  // MARK: Composites

  /// Writes a composite value from memory, or reports that there is none. Returns false for a property of another kind.
  @usableFromInline
  mutating func writeComposite(_ position: Int, _ memory: UnsafeRawPointer?, _ type: ObjectIdentifier) -> Bool {
    guard let layout = session.composites[position] else { return false }
    guard includes(position) else { return true }
    layout._withUnsafeGuaranteedRef { layout in
      let first = parameter
      parameter &+= layout.columnCount
      guard let memory, layout.holds(type) else { return reportFault(position) }
      layout.write(memory, first, position, to: &self)
    }
    return true
  }

  @inlinable
  package mutating func writeComposite<T>(_ slot: Slot<T>, _ position: Int) -> Bool {
    guard case .value(let value) = slot else { return writeComposite(position, nil, ObjectIdentifier(T.self)) }
    return withUnsafePointer(to: value) { writeComposite(position, UnsafeRawPointer($0), ObjectIdentifier(T.self)) }
  }

  // MARK: Relationships

  /// Stores a to-one relationship as the key of the destination's row.
  public mutating func write<T: PersistentModel>(_ slot: _PersistenceRuntime.Slot<T?>, _ position: Int) {
    guard includes(position) else { return }
    let parameter = advance()
    guard case .value(let value) = slot else { return reportFault(position) }
    guard let value else { return check(functions.pointee.null(statement, parameter), position) }
    bindReference(value, parameter, position)
  }

  public mutating func write<T: PersistentModel>(_ slot: _PersistenceRuntime.Slot<T>, _ position: Int) {
    guard includes(position) else { return }
    let parameter = advance()
    guard case .value(let value) = slot else { return reportFault(position) }
    bindReference(value, parameter, position)
  }

  package func bindReference<T: PersistentModel>(_ value: T, _ parameter: Int32, _ position: Int) {
    let key = value._$state.pointee.primaryKey
    guard key != 0 else { return postponeReference(value, parameter, position) }
    guard session.mayRefer(to: value._$state.pointee.identityMap) else {
      return session.failure.record(
        .modelOfAnotherContext, property: position, key: nil,
        "the related \(T.self) belongs to another context; look it up in this one by its persistentModelID")
    }
    check(functions.pointee.integer(statement, parameter, key), position)
  }

  /// Writes nothing, since a to-many relationship has no column: its pairs of keys are written after the rows.
  @inlinable
  public mutating func write<T: PersistentModel>(_ slot: _PersistenceRuntime.Slot<[T]>, _ position: Int) {}

  @inlinable
  public mutating func write<T: PersistentModel>(_ slot: _PersistenceRuntime.Slot<[T]?>, _ position: Int) {}

  /// Postpones a reference whose target has no row, if the next save will insert the target. This happens if user code
  /// inserts objects after the current save has assigned its keys.
  private func postponeReference<T: PersistentModel>(_ value: T, _ parameter: Int32, _ position: Int) {
    let state = value._$state
    let isInserted =
      state.pointee.identityMap.map { state.pointee.flags.contains(.inserted) && session.mayRefer(to: $0) }
      ?? session.insertsRelatedLater
    if isInserted, session.postpone(position, parameter) { return }
    session.failure.record(
      .modelValidationFailure, property: position, key: nil,
      "the related \(T.self) was never inserted into this context; insert it first")
  }

  /// Binds the former value of a reference that is postponed to the next save. Until then the row has this value.
  func bindFormerReference(_ parameter: Int32, _ position: Int, at index: Int) {
    guard let key = session.formerKey(ofObjectAt: index, at: position) else {
      return session.failure.record(
        .modelValidationFailure, property: position, key: nil,
        "the related model was inserted by code that the save ran, and gets its row with the next save; save again")
    }
    let functions = functions.pointee
    check(key == 0 ? functions.null(statement, parameter) : functions.integer(statement, parameter, key), position)
  }

  // MARK: Transformers

  /// Writes a property whose value a value transformer converts.
  public mutating func transform<T>(_ slot: _PersistenceRuntime.Slot<T>, _ position: Int) {
    guard includes(position) else { return }
    let parameter = advance()
    guard case .value(let value) = slot else { return reportFault(position) }
    do {
      let data = try session.transformers.data(of: value, property: session.entity.properties[position])
      guard let data else { return check(functions.pointee.null(statement, parameter), position) }
      check(data._$bind(&self, parameter), position)
    } catch {
      session.failure.record(
        .valueNotStorable, property: position, key: nil, "the transformer refuses the value", underlying: error)
    }
  }
}

// These functions bind values that differ from their stored form, such as -0.0. Other values are bound without them.

extension RowWriter {
  /// Binds the stored form (``StoredText``) of a text, and records the exact text if it differs.
  @usableFromInline
  @inline(never)
  func bindForm(of text: String, _ parameter: Int32) -> Int32 {
    guard storesForms, let form = StoredText.differingForm(of: text) else { return bindText(text, parameter) }
    note(text, parameter)
    return bindText(form, parameter)
  }

  /// Binds not-a-number or -0.0.
  @usableFromInline
  @inline(never)
  func bindUnlikelyReal(_ value: Double, _ parameter: Int32) -> Int32 {
    if value.isNaN { return bindText(NotANumber.text(of: value), parameter) }
    guard storesForms else { return functions.pointee.real(statement, parameter, value) }
    note(OriginalNotes.negativeZero, parameter)
    return functions.pointee.real(statement, parameter, 0)
  }

  private func note(_ original: String, _ parameter: Int32) {
    guard let notes = session.originals, session.objects.indices.contains(index),
      session.entity.keepsOriginal(
        ofParameter: Int(parameter) - (session.keyComesFirst ? 2 : 1), mask: mask)
    else { return }
    notes.note(
      OriginalNotes.Note(
        row: index, key: session.key(ofObjectAt: index), parameter: parameter, original: original))
  }
}

extension EntityLayout {
  /// Whether a column's value must be read exactly as it was written: an equal value, such as an equivalent text, is
  /// not enough. For the raw value of an enum this is irrelevant, because the read yields the case.
  ///
  /// - Parameter index: The index of the column among those of the properties in the mask.
  fileprivate func keepsOriginal(ofParameter index: Int, mask: UInt64) -> Bool {
    var index = index
    for property in properties where property.bit & mask != 0 {
      if index < property.columns.count { return index >= 0 && property.keepsOriginal(ofColumn: index) }
      index -= property.columns.count
    }
    return false
  }
}

extension PropertyLayout {
  /// Whether the value of a column must be read exactly as it was written; an equal value is not enough.
  package func keepsOriginal(ofColumn index: Int) -> Bool {
    let part = composite?.parts.first { $0.inner == nil && $0.column == index }
    let type = PropertyType(part?.type ?? valueType).wrapped
    return RawStorage.type(of: type) == nil || RawStorage.keepsOriginals(type)
  }
}

/// Memory for the text and bytes of one row, which lets a store bind them without copying.
///
/// Only the session that owns it uses it. Copied values keep their addresses until the next row.
@usableFromInline
package final class ByteArena {
  /// The position of the next copy. Stored at the start of the block, so that access needs no reference counting.
  @usableFromInline package let cursor: UnsafeMutablePointer<ByteArenaCursor>
  /// Copies that did not fit into the rest of the block.
  @exclusivity(unchecked) private var large: [UnsafeMutableRawPointer] = []

  /// - Parameter rowCount: The number of rows to write. For few rows, a large block costs more than it saves.
  package init(rowCount: Int) {
    let (header, size) = (MemoryLayout<ByteArenaCursor>.stride, rowCount < 16 ? 960 : 64 * 1024)
    let block = UnsafeMutableRawPointer.allocate(byteCount: header + size, alignment: 16)
    let start = block + header
    cursor = block.initializeMemory(
      as: ByteArenaCursor.self, to: ByteArenaCursor(start: start, next: start, end: start + size))
  }

  deinit {
    UnsafeMutableRawPointer(cursor).deallocate()
    for copy in large { copy.deallocate() }
  }

  package func freeLarge() {
    for copy in large { copy.deallocate() }
    large.removeAll()
  }

  /// Copies bytes that do not fit into the block. Never returns a null pointer, because a store binds it as NULL.
  @usableFromInline
  package func copyLarge(_ bytes: UnsafeRawBufferPointer) -> UnsafeMutableRawPointer {
    let copy = UnsafeMutableRawPointer.allocate(byteCount: max(bytes.count, 1), alignment: 16)
    if let source = bytes.baseAddress { copy.copyMemory(from: source, byteCount: bytes.count) }
    large.append(copy)
    cursor.pointee.needsPreparation = true
    return copy
  }
}

/// The state of a ``ByteArena`` that changes with every copy.
@frozen
@usableFromInline
package struct ByteArenaCursor {
  @usableFromInline let start: UnsafeMutableRawPointer
  @usableFromInline var next: UnsafeMutableRawPointer
  @usableFromInline let end: UnsafeMutableRawPointer
  /// Whether the next row needs preparation. One flag covers all reasons, so that each row needs one test.
  @usableFromInline var needsPreparation = false

  init(start: UnsafeMutableRawPointer, next: UnsafeMutableRawPointer, end: UnsafeMutableRawPointer) {
    self.start = start
    self.next = next
    self.end = end
  }
}

extension _PersistenceRuntime {
  /// The functions by which an engine binds the values of one row and runs the statement that stores them.
  ///
  /// The counterpart of ``ColumnReadFunctions``. Parameters count from 1. Every function returns 0 or an error code of
  /// the engine. Text and bytes stay valid until `step` returns, so an engine need not copy them.
  @frozen
  public struct ColumnWriteFunctions: Sendable {
    /// A statement, or the engine's equivalent.
    public typealias Statement = OpaquePointer?

    public let null: @convention(c) @Sendable (Statement, Int32) -> Int32
    public let integer: @convention(c) @Sendable (Statement, Int32, Int64) -> Int32
    public let real: @convention(c) @Sendable (Statement, Int32, Double) -> Int32
    public let text: @convention(c) @Sendable (Statement, Int32, UnsafePointer<UInt8>?, Int) -> Int32
    public let blob: @convention(c) @Sendable (Statement, Int32, UnsafeRawPointer?, Int) -> Int32
    /// Runs the statement with the bound values and resets it for the next row.
    public let step: @convention(c) @Sendable (Statement) -> Int32

    public init(
      null: @escaping @convention(c) @Sendable (Statement, Int32) -> Int32,
      integer: @escaping @convention(c) @Sendable (Statement, Int32, Int64) -> Int32,
      real: @escaping @convention(c) @Sendable (Statement, Int32, Double) -> Int32,
      text: @escaping @convention(c) @Sendable (Statement, Int32, UnsafePointer<UInt8>?, Int) -> Int32,
      blob: @escaping @convention(c) @Sendable (Statement, Int32, UnsafeRawPointer?, Int) -> Int32,
      step: @escaping @convention(c) @Sendable (Statement) -> Int32
    ) {
      self.null = null
      self.integer = integer
      self.real = real
      self.text = text
      self.blob = blob
      self.step = step
    }
  }
}
