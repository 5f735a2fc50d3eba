import Foundation
import PersistenceSupport

// Properties whose values are encrypted or stored in files (``OutOfRowValue``). Encrypted values are decrypted when the
// row is read. Files are read on first access.

extension RowReader {
  /// Reads a property with an out-of-row value. `read` reads a plain value from a column.
  public mutating func outOfRow<T>(
    _ position: Int, _ read: (inout _PersistenceRuntime.RowReader) -> _PersistenceRuntime.Slot<T>
  ) -> _PersistenceRuntime.Slot<T> {
    guard includes(position), let outOfRow = session.entity.outOfRowValue(at: position) else { return read(&self) }
    let column = advance()
    guard session.readsExternalValues || !isReference(column, outOfRow) else { return .fault }
    return opened(column, position, outOfRow, read) ?? .fault
  }

  /// Reads a constant with an out-of-row value. A file is read at once, since only variables can be read later.
  public mutating func outOfRowConstant<T>(_ position: Int, _ read: (inout _PersistenceRuntime.RowReader) -> T) -> T {
    guard includes(position), let outOfRow = session.entity.outOfRowValue(at: position) else { return read(&self) }
    let column = advance()
    if let value = opened(column, position, outOfRow, read) { return value }
    // Reading a constant cannot be repeated, so the object keeps this placeholder in addition to the recorded failure.
    return CapturedColumn.holding(blob: nil, key: key) { rows in opened(rows, read) }
  }

  /// Returns true if the value of an out-of-row property in the store differs from the object's value, `slot`.
  public mutating func refreshOutOfRow<T>(
    _ slot: _PersistenceRuntime.Slot<T>, _ position: Int, _ refresh: (inout _PersistenceRuntime.RowReader) -> Bool
  ) -> Bool {
    guard includes(position), let outOfRow = session.entity.outOfRowValue(at: position) else { return refresh(&self) }
    guard !isKept(position) else { return false }
    let isReference = isReference(column, outOfRow)
    guard case .value = slot else {
      if !isReference, opened(column, position, outOfRow, refresh) == true { return true }
      column &+= 1
      return false
    }
    // If the value is unreadable, the slot becomes a fault. The next access reads the file again, and reports failures.
    if opened(column, position, outOfRow, reportsFiles: !isReference, refresh) ?? true { return true }
    column &+= 1
    return false
  }

  /// Whether the column refers to a file. A reference is text, whereas plain values of such properties are blobs.
  private func isReference(_ column: Int32, _ outOfRow: OutOfRowValue) -> Bool {
    outOfRow.isExternal && functions.pointee.storageClass(row, column) == StorageClass.text.rawValue
  }

  /// Decrypts the value or reads its file, and passes the plain value to `read`. Returns nil after reporting a failure.
  ///
  /// - Parameter reportsFiles: Whether a file that cannot be read is reported.
  private func opened<Result>(
    _ column: Int32, _ position: Int, _ outOfRow: OutOfRowValue, reportsFiles: Bool = true,
    _ read: (inout RowReader) -> Result
  ) -> Result? {
    do {
      guard let bytes = try bytes(of: column, outOfRow) else {
        return CapturedColumn.holding(blob: nil, key: key) { rows in opened(rows, read) }
      }
      guard outOfRow.isEncrypted else {
        return CapturedColumn.holding(blob: bytes, key: key) { rows in opened(rows, read) }
      }
      let packed = try unsealed(bytes, outOfRow)
      if let result = CapturedColumn.holding(packed: packed, key: key, { opened($0, read) }) { return result }
      reportCorrupt(position, "what is encrypted there is no value")
    } catch let error as UnreadableExternalValue {
      guard reportsFiles else { return nil }
      session.failure.record(.corruptValue, property: position, key: key, error.reason, underlying: error)
    } catch {
      session.failure.record(
        .corruptValue, property: position, key: key,
        "the encrypted value was changed, or is not that of this property; restore the store from a backup",
        underlying: error)
    }
    return nil
  }

  private func opened<Result>(_ rows: EngineRows, _ read: (inout RowReader) -> Result) -> Result {
    var reader = RowReader(rows, session: session, mask: mask)
    reader.current = current
    reader.column = 1
    return read(&reader)
  }

  /// The bytes in the column or its file; nil if the column is NULL.
  private func bytes(of column: Int32, _ outOfRow: OutOfRowValue) throws -> Data? {
    guard !isNull(column) else { return nil }
    guard isReference(column, outOfRow) else { return Data._$read(self, column) }
    let reference = String._$read(self, column) ?? ""
    guard let values = session.externalValues else {
      throw UnreadableExternalValue("the value is kept outside of the store, which has no place for such values")
    }
    return try values.bytes(of: reference)
  }

  private func unsealed(_ bytes: Data, _ outOfRow: OutOfRowValue) throws -> Data {
    guard let cipher = session.cipher else { throw SwiftDataError(.encryptionKeyMissing) }
    return try bytes.withUnsafeBytes { try cipher.open($0, entity: outOfRow.entity, property: outOfRow.property) }
  }
}

extension RowWriter {
  /// Writes a property with an out-of-row value. `write` writes the plain value to a column.
  public mutating func outOfRow(_ position: Int, _ write: (inout _PersistenceRuntime.RowWriter) -> Void) {
    guard includes(position), let outOfRow = session.entity.outOfRowValue(at: position) else { return write(&self) }
    let parameter = advance()
    session.beginOutOfRowValue(at: position)
    guard let captured = CapturedColumn.capturing(session, mask: mask, write) else {
      return session.failure.record(
        .valueNotStorable, property: position, key: nil,
        "a value of several columns cannot be encrypted or kept in a file")
    }
    // `hasFailed` is not tested, because it is also set if a reference was only postponed to the next save.
    guard session.failure.all.isEmpty else { return }
    guard !captured.isNull else { return check(functions.pointee.null(statement, parameter), position) }
    do {
      try put(captured, outOfRow, parameter, position)
    } catch let error as SwiftDataError {
      session.failure.record(
        error.kind, property: position, key: nil, error.explanation ?? "\(error.kind)",
        underlying: error.underlyingError)
    } catch {
      session.failure.record(
        .valueNotStorable, property: position, key: nil, "the value cannot be encrypted", underlying: error)
    }
  }

  private func put(
    _ captured: CapturedColumn, _ outOfRow: OutOfRowValue, _ parameter: Int32, _ position: Int
  ) throws {
    if outOfRow.isEncrypted {
      guard let cipher = session.cipher else { throw SwiftDataError(.encryptionKeyMissing) }
      let sealed = try captured.packed.withUnsafeBytes {
        try cipher.seal($0, entity: outOfRow.entity, property: outOfRow.property)
      }
      try sealed.withUnsafeBytes { try put($0, outOfRow, parameter, position) }
    } else if let blob = captured.blob {
      try put(blob, outOfRow, parameter, position)
    } else {
      throw SwiftDataError(.valueNotStorable, "only bytes can be kept in a file")
    }
  }

  /// Binds bytes. If they exceed the limit, stores them in a file and binds the reference to the file.
  private func put(
    _ bytes: UnsafeRawBufferPointer, _ outOfRow: OutOfRowValue, _ parameter: Int32, _ position: Int
  ) throws {
    guard outOfRow.isExternal, let values = session.externalValues, bytes.count > values.largestInline else {
      return check(bindBytes(bytes, parameter), position)
    }
    check(bindText(try values.keep(bytes), parameter), position)
  }
}
