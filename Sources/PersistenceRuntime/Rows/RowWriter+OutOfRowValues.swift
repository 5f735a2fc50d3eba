import Foundation
import PersistenceSupport

extension RowWriter {
  /// Writes a property with an out-of-row value; `write` writes the plain value.
  public mutating func outOfRow(_ position: Int, _ write: (inout _PersistenceRuntime.RowWriter) -> Void) {
    guard includes(position), let outOfRow = session.entity.outOfRowValue(at: position) else { return write(&self) }
    let parameter = advance()
    session.beginOutOfRowValue(at: position)
    guard let captured = CapturedColumn.capturing(session, mask: mask, write) else {
      return session.failure.record(
        .valueNotStorable, property: position, key: nil,
        "a value of several columns cannot be encrypted or kept in a file")
    }
    // `hasFailed` without a failure means a reference postponed to the next save.
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

  /// Binds bytes, or the reference of an external value if they exceed the limit.
  private func put(
    _ bytes: UnsafeRawBufferPointer, _ outOfRow: OutOfRowValue, _ parameter: Int32, _ position: Int
  ) throws {
    guard outOfRow.isExternal, let values = session.externalValues, bytes.count > values.largestInline else {
      return check(bindBytes(bytes, parameter), position)
    }
    check(bindText(try values.keep(bytes), parameter), position)
  }
}
