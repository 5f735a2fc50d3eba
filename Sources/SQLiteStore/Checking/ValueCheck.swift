import CSQLite
import Foundation
import PersistenceRuntime
import PersistenceSchemas
import PersistenceSupport
import SQLEngine

/// Checks the values of one table, row by row.
///
/// An SQL scan selects the rows with possibly invalid values, and Swift code then checks these rows exactly.
struct ValueCheck: CheckStep {
  private let table: TableMapping
  private let columns: [CheckedColumn]
  /// The names of the classes whose rows the table contains; empty if all rows have the same class.
  private let classes: [String]
  var tables: [String] { [table.name] }

  init(_ table: TableMapping) {
    self.table = table
    columns = CheckedColumn.all(of: table)
    classes = table.entity.inheritance == nil ? [] : table.entity.family.map(\.name)
  }

  /// A row that the scan has selected because a value may be invalid.
  private struct Row {
    let key: Int64
    let entity: String
    let isOfKnownClass: Bool
    /// The values of all columns. For a text, `isValid` is true if it is valid UTF-8.
    let values: [(value: StoredValue, isValid: Bool)]
  }

  func run(in check: StoreCheck) throws {
    let hasOriginals = try check.handle.hasTable(OriginalStatements.tableName)
    try check.batches(sql(check.dialect), read: row) { row in
      if !row.isOfKnownClass { try reportClass(of: row, in: check) }
      for (index, column) in columns.enumerated() where column.classes.isEmpty || column.classes.contains(row.entity) {
        try look(at: index, of: row, hasOriginals: hasOriginals, in: check)
      }
    }
  }

  private func sql(_ dialect: SQLiteDialect) -> String {
    let key = dialect.quoted(DatabaseMapping.keyColumn)
    let entity =
      classes.isEmpty ? dialect.literal(.text(table.entity.name)) : dialect.quoted(DatabaseMapping.entityColumn)
    let selected = [key, entity] + columns.map { $0.rule.selected(dialect.quoted($0.name)) }
    var doubts = columns.map { $0.rule.doubt(dialect.quoted($0.name)) } + columns.compactMap { $0.lacksValue(dialect) }
    if !classes.isEmpty {
      doubts.append("NOT coalesce(\(TableMapping.test(for: classes, isSearched: false, dialect: dialect)), 0)")
    }
    let condition = doubts.isEmpty ? "0" : doubts.map { "(\($0))" }.joined(separator: " OR ")
    return "SELECT \(selected.joined(separator: ", ")) FROM \(dialect.quoted(table.name)) "
      + "WHERE \(key) >= ?1 AND (\(condition)) ORDER BY \(key) LIMIT ?2"
  }

  private func row(_ statement: SQLiteStatement) -> Row {
    let entity = statement.text(1) ?? ""
    return Row(
      key: statement.integer(0), entity: entity,
      isOfKnownClass: classes.isEmpty || classes.contains { $0.utf8.elementsEqual(entity.utf8) },
      values: columns.indices.map { index in
        let column = Int32(index + 2)
        return (statement.value(column), statement.hasValidText(column))
      })
  }

  // MARK: Values

  private func look(at index: Int, of row: Row, hasOriginals: Bool, in check: StoreCheck) throws {
    let (column, (value, isValid)) = (columns[index], row.values[index])
    if value == .null {
      if column.isRequired, hasStructs(of: column, row) {
        report(.missingValue, column, row, value, "there is no value", in: check)
      }
      return
    }
    guard case .wrong(let kind, let words, let mended, let original) = column.rule.verdict(on: value, isValid: isValid)
    else { return }
    if hasOriginals, case .text(let stored) = value, column.rule.form == .text {
      // A few normalised texts change if normalised again. Such a text is valid if the row's original normalises to it.
      if try Originals(of: table.name, column: column.name).counts(for: row.key, stored: stored, in: check) { return }
    }
    let explanation = "the value \(words)"
    guard let mended else { return report(kind, column, row, value, explanation, in: check) }
    try mend(column, row, value, explanation, to: mended, original: original, in: check)
  }

  private func hasStructs(of column: CheckedColumn, _ row: Row) -> Bool {
    column.presence.allSatisfy { name in
      columns.firstIndex { $0.name == name }.map { row.values[$0].value != .null } ?? true
    }
  }

  private func report(
    _ kind: StoreProblem.Kind, _ column: CheckedColumn, _ row: Row, _ value: StoredValue, _ explanation: String,
    advice: String = "Set the value in the program that wrote it, or by SQL, to one that the property can have",
    _ repair: StoreProblem.Repair = .impossible, in check: StoreCheck
  ) {
    check.log.add(
      kind, entity: row.entity, table: table.name, key: row.key, column: column.name,
      value: value == .null ? nil : value.shortened, explanation, advice: advice, repair: repair)
  }

  /// Replaces an invalid value with `mended`, or only reports the problem if the check does not repair.
  private func mend(
    _ column: CheckedColumn, _ row: Row, _ value: StoredValue, _ explanation: String, to mended: StoredValue,
    original: String?, in check: StoreCheck
  ) throws {
    guard check.isRepairing else {
      return report(
        .unusualForm, column, row, value, explanation, advice: "It can be written as \(mended.shortened)", .possible,
        in: check)
    }
    do {
      try check.run(
        "UPDATE \(check.quoted(table.name)) SET \(check.quoted(column.name)) = ?1 WHERE \(check.key) = ?2", mended,
        .integer(row.key))
    } catch let error as SwiftDataError where error.kind == .modelValidationFailure {
      return report(
        .unusualForm, column, row, value, explanation,
        advice:
          "As \(mended.shortened) it would be that of another row too, and must be unique: change or delete one of both",
        in: check)
    }
    if let original {
      try check.connection.storeOriginal(original, inTableNamed: table.name, key: row.key, column: column.name)
    }
    report(
      .unusualForm, column, row, value, explanation, advice: "It was written as \(mended.shortened)", .done, in: check)
  }

  // MARK: Classes

  private func reportClass(of row: Row, in check: StoreCheck) throws {
    let form = StoredText.form(of: row.entity)
    let column = DatabaseMapping.entityColumn
    if classes.contains(where: { StoredText.form(of: $0).utf8.elementsEqual(form.utf8) }) {
      if check.isRepairing {
        try check.run(
          "UPDATE \(check.quoted(table.name)) SET \(check.quoted(column)) = ?1 WHERE \(check.key) = ?2", .text(form),
          .integer(row.key))
      }
      check.log.add(
        .unusualForm, entity: table.entity.name, table: table.name, key: row.key, column: column,
        value: StoredValue.text(row.entity).shortened,
        "the name of the class is not in the form in which texts are compared",
        advice: check.isRepairing ? "It was written as the class is" : "It can be written as the class is",
        repair: check.repair)
      return
    }
    check.log.add(
      .unknownClass, entity: table.entity.name, table: table.name, key: row.key, column: column,
      value: StoredValue.text(row.entity).shortened,
      "the schema has no such class in the hierarchy of \(table.entity.name)",
      advice: "Give the row the name of a class, one of \(classes.joined(separator: ", ")), or delete it by SQL",
      repair: .impossible)
  }
}

extension SQLiteStatement {
  /// True if the column has no text, or a text in valid UTF-8.
  fileprivate func hasValidText(_ column: Int32) -> Bool {
    guard sqlite3_column_type(pointer, column) == SQLITE_TEXT, let bytes = sqlite3_column_text(pointer, column) else {
      return true
    }
    let buffer = UnsafeBufferPointer(start: bytes, count: Int(sqlite3_column_bytes(pointer, column)))
    return String(validating: buffer, as: UTF8.self) != nil
  }
}

/// Checks the encrypted values of one table: a key of the configuration must be able to decrypt each of them.
struct SealedValueCheck: CheckStep {
  private let table: SealedTable
  private let entity: String
  var tables: [String] { [table.name] }

  /// Nil if no column of the table is encrypted.
  init?(_ table: TableMapping) {
    guard let sealed = SealedTable(table) else { return nil }
    self.table = sealed
    entity = table.entity.name
  }

  func run(in check: StoreCheck) throws {
    guard let cipher = check.cipher else { return }
    for (column, outOfRow) in table.columns {
      let quoted = check.quoted(column)
      try check.rows(
        "SELECT \(check.key), \(quoted) FROM \(check.quoted(table.name)) WHERE typeof(\(quoted)) = 'blob'"
      ) { row in
        guard case .blob(let bytes) = row.value(1), !isReadable(bytes, outOfRow, cipher) else { return }
        check.log.add(
          .unreadableCiphertext, entity: entity, table: table.name, key: row.integer(0), column: column,
          value: "\(bytes.count) bytes", "the encrypted value was changed, or is encrypted with another key",
          advice: "Give the key in formerEncryptionKeys, or restore the store from a backup", repair: .impossible)
      }
    }
  }

  private func isReadable(_ bytes: Data, _ outOfRow: OutOfRowValue, _ cipher: any ValueCipher) -> Bool {
    (try? bytes.withUnsafeBytes { try cipher.open($0, entity: outOfRow.entity, property: outOfRow.property) }) != nil
  }
}
