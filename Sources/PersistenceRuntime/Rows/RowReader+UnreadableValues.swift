import Foundation
import PersistenceSupport

// These functions report column values that another program wrote and that are invalid for their property.
// The property's slot stays empty, and the error names the row, the column and the value.

extension RowReader {
  /// Reports that a column contains no value of a type.
  @usableFromInline
  package func reportUnreadable(_ position: Int, _ column: Int32, _ type: any Any.Type) {
    reportUnreadable(position, column, as: "no \(type)")
  }

  /// Reports that a column contains no raw value of a type.
  @usableFromInline
  package func reportNoRawValue(_ position: Int, _ column: Int32, _ type: any Any.Type) {
    reportUnreadable(position, column, as: "no raw value of \(type)")
  }

  /// Reports that the value of a column is invalid.
  ///
  /// - Parameter words: Why the value is invalid, such as "no Int". Follows "which is" in the error message.
  package func reportUnreadable(
    _ position: Int, _ column: Int32, as words: String, underlying: (any Error)? = nil
  ) {
    session.failure.record(
      .corruptValue, property: position, key: key, describe(column, of: position, as: words), underlying: underlying)
  }

  /// Describes what is wrong with the value of a column.
  func describe(_ column: Int32, of position: Int, as words: String) -> String {
    // Logs must not contain the plain value of an encrypted property.
    guard session.entity.outOfRowValue(at: position)?.isEncrypted != true else {
      return "what is encrypted there is \(words)"
    }
    return "the column \(columnName(column, of: position)) has \(described(column)), which is \(words)"
  }

  /// Describes the value of a column.
  package func described(_ column: Int32) -> String {
    switch storageClass(column) {
    case .integer: return "the number \(functions.pointee.integer(row, column))"
    case .real: return "the number \(functions.pointee.real(row, column))"
    case .text: return "the text '\(Self.shortened(String._$read(self, column) ?? ""))'"
    case .blob: return "the bytes \(Self.digits(of: Data._$read(self, column) ?? Data()))"
    case .null, nil: return "NULL"
    }
  }

  private static func shortened(_ text: String) -> String {
    let longest = 60
    return text.count > longest ? text.prefix(longest) + "…" : text
  }

  private static func digits(of bytes: Data) -> String {
    let longest = 16
    let digits = bytes.prefix(longest).map { byte in
      let text = String(byte, radix: 16)
      return text.count == 1 ? "0" + text : text
    }
    return "x'\(digits.joined())\(bytes.count > longest ? "…" : "")' (\(bytes.count) in all)"
  }

  /// The name of a column of a property.
  private func columnName(_ column: Int32, of position: Int) -> String {
    let property = session.entity.properties[position]
    guard property.columns.count > 1 else { return property.columns.first?.name ?? property.name }
    let index = Int(column - firstColumn(of: position))
    return property.columns.indices.contains(index) ? property.columns[index].name : property.name
  }

  /// The first column of a property in the row. The columns of a class are adjacent, so the count starts at the class.
  package func firstColumn(of position: Int) -> Int32 {
    let level = session.nearestLevel(to: position)
    let before = session.entity.properties[(level?.position ?? 0)..<position].filter { includes($0.position) }
    return before.reduce(level?.column ?? 1) { $0 + Int32($1.columns.count) }
  }

  /// Updates an object from its row, and records the properties that cannot be read.
  package mutating func refreshSettled<T: PersistentModel>(_ object: T) throws {
    refresh(object)
    if hasFailed.pointee { try session.settle(object, mask: knownMask) }
  }

  // MARK: References

  /// The error for a to-one relationship whose column does not contain the key of an existing row of its destination.
  ///
  /// - Parameter isMissing: Whether the column contains a valid key, but no row has this key.
  package func referenceError(at position: Int, isMissing: Bool) -> SwiftDataError {
    let entity = session.entity
    let column = firstColumn(of: position)
    let destination = entity.relationship(at: position)?.destination ?? "model"
    let words = isMissing ? "the key of no \(destination)" : "no key of a \(destination)"
    return SwiftDataError(
      .corruptValue,
      "\(entity.name).\(entity.properties[position].name) of row \(key): "
        + describe(column, of: position, as: words))
  }

  // MARK: Rows without an object

  /// Omits the current row, because its key is 0. The library never assigns this key: it marks objects without a row.
  package func leaveOutRow() {
    session.leaveOut(
      SwiftDataError(
        .corruptValue,
        "a row of \(session.entity.name) is left out: its primary key is \(described(0)), which this library never "
          + "gives; change the key by hand"),
      key: key)
  }
}
