import Foundation
import PersistenceSupport

// Properties in envelopes. Encrypted values are decrypted with the row; external values are read on first access.

extension RowReader {
  /// Reads a property in an envelope; `read` reads the plain value.
  public mutating func enveloped<T>(
    _ position: Int, _ read: (inout _PersistenceRuntime.RowReader) -> _PersistenceRuntime.Slot<T>
  ) -> _PersistenceRuntime.Slot<T> {
    guard includes(position), let envelope = session.entity.envelope(at: position) else { return read(&self) }
    let column = advance()
    guard session.readsExternalValues || !isReference(column, envelope) else { return .fault }
    return opened(column, position, envelope, read) ?? .fault
  }

  /// Reads a constant in an envelope, which cannot be deferred.
  public mutating func envelopedConstant<T>(_ position: Int, _ read: (inout _PersistenceRuntime.RowReader) -> T) -> T {
    guard includes(position), let envelope = session.entity.envelope(at: position) else { return read(&self) }
    let column = advance()
    if let value = opened(column, position, envelope, read) { return value }
    // The recorded failure will be thrown; until then the object has this placeholder.
    return CapturedColumn.holding(blob: nil, key: key) { rows in opened(rows, read) }
  }

  /// Whether the row's value differs from the slot's, for a property in an envelope.
  public mutating func refreshEnveloped<T>(
    _ slot: _PersistenceRuntime.Slot<T>, _ position: Int, _ refresh: (inout _PersistenceRuntime.RowReader) -> Bool
  ) -> Bool {
    guard includes(position), let envelope = session.entity.envelope(at: position) else { return refresh(&self) }
    guard !isKept(position) else { return false }
    if isReference(column, envelope), case .fault = slot {
      column &+= 1
      return false
    }
    if opened(column, position, envelope, refresh) == true { return true }
    column &+= 1
    return false
  }

  /// Whether the column refers to a file: text, because plain values of such properties are blobs.
  private func isReference(_ column: Int32, _ envelope: Envelope) -> Bool {
    envelope.isExternal && functions.pointee.storageClass(row, column) == StorageClass.text.rawValue
  }

  /// Applies `read` to the plain value; nil after reporting why the envelope cannot be opened.
  private func opened<Result>(
    _ column: Int32, _ position: Int, _ envelope: Envelope, _ read: (inout RowReader) -> Result
  ) -> Result? {
    do {
      guard let bytes = try bytes(of: column, envelope) else {
        return CapturedColumn.holding(blob: nil, key: key) { rows in opened(rows, read) }
      }
      guard envelope.isEncrypted else {
        return CapturedColumn.holding(blob: bytes, key: key) { rows in opened(rows, read) }
      }
      let packed = try unsealed(bytes, envelope)
      if let result = CapturedColumn.holding(packed: packed, key: key, { opened($0, read) }) { return result }
      reportCorrupt(position, "what is encrypted there is no value")
    } catch let error as UnreadableExternalValue {
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

  /// The bytes in the column or its file; nil for NULL.
  private func bytes(of column: Int32, _ envelope: Envelope) throws -> Data? {
    guard !isNull(column) else { return nil }
    guard isReference(column, envelope) else { return Data._$read(self, column) }
    let reference = String._$read(self, column) ?? ""
    guard let values = session.externalValues else {
      throw UnreadableExternalValue("the value is kept outside of the store, which has no place for such values")
    }
    return try values.bytes(of: reference)
  }

  private func unsealed(_ bytes: Data, _ envelope: Envelope) throws -> Data {
    guard let cipher = session.cipher else { throw SwiftDataError(.encryptionKeyMissing) }
    return try bytes.withUnsafeBytes { try cipher.open($0, entity: envelope.entity, property: envelope.property) }
  }
}
