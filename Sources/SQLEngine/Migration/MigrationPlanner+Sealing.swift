import PersistenceRuntime
import PersistenceSchemas

// Encrypted columns contain bytes. In a database with typed columns, a plain value that is to be encrypted is first
// written to such a column as bytes, which Swift code then encrypts. A decrypted value is first written as bytes too.
// When all values are decrypted, the column gets the type of the values.

extension MigrationPlanner {
  /// Whether a new column of plain values contains bytes until the encrypted values of its rows are decrypted.
  func isUndecided(_ column: PhysicalColumn, in table: PhysicalTable) -> Bool {
    guard case .value(_, let property, _) = column.content, isTyped(column.valueType), !isEncrypted(property) else {
      return false
    }
    return table.members.contains { member in
      column.concerns(member.entity) && migration.change.isKept(member.entity.name)
        && changedOutOfRowValue(of: property, in: member.entity.name).map(isEncrypted) == true
    }
  }

  /// Whether plain values of a type have to be converted to bytes before they are written to a column of encrypted
  /// values.
  private func isTyped(_ type: SQLParameterType) -> Bool {
    type.format != .blob && migration.dialect.bytes(ofPlain: "", type) != nil
  }

  private func isEncrypted(_ property: PropertyLayout) -> Bool { property.outOfRowValue?.isEncrypted == true }

  // MARK: Sources

  /// Where a column that becomes encrypted gets its values: from the old column, as the bytes of the plain values.
  func sealing(_ source: ColumnSource, from old: ColumnMapping?, _ column: PhysicalColumn) -> ColumnSource {
    guard let old, isTyped(SQLParameterType(old)),
      let bytes = migration.dialect.bytes(ofPlain: quoted(old.name), SQLParameterType(old))
    else { return source }
    switch source {
    case .column(let name): return .converted(name, sql: bytes)
    case .filled(_, let value):
      return .expression("coalesce(\(bytes), \(migration.dialect.literal(value, of: column.valueType)))")
    case .converted, .expression, .constant: return source
    }
  }

  /// Where a column that temporarily contains bytes gets its values. Encrypted values are copied, all others are
  /// converted to bytes.
  ///
  /// - Parameter isEncrypted: Whether the old column contains encrypted values.
  func undecided(_ source: ColumnSource, isEncrypted: Bool, _ column: PhysicalColumn) -> ColumnSource {
    let (dialect, type) = (migration.dialect, column.valueType)
    switch source {
    case .column where isEncrypted: return source
    case .filled(let name, let value) where isEncrypted:
      let bytes = dialect.bytes(ofPlain: dialect.literal(value, of: type), type) ?? "NULL"
      return .expression("coalesce(\(quoted(name)), \(bytes))")
    case .column, .filled, .converted, .expression, .constant:
      return .expression(dialect.bytes(ofPlain: source.sql(dialect, type), type) ?? "NULL")
    }
  }

  // MARK: Tables

  /// Changes the type of columns in a new table to bytes, if encrypted values are to be decrypted there.
  mutating func leaveUndecided(_ table: PhysicalTable) {
    let type = migration.definition.dialect.columnType(for: .blob)
    for column in table.columns where isUndecided(column, in: table) {
      add("ALTER TABLE \(tableName(table.name)) ALTER COLUMN \(quoted(column.name)) TYPE \(type) USING NULL")
    }
  }

  /// Changes the columns of ``leaveUndecided(_:)`` to the type of their values, after all values were decrypted.
  mutating func decide(_ table: PhysicalTable) {
    for column in table.columns where isUndecided(column, in: table) {
      let plain = migration.dialect.plain(ofBytes: quoted(column.name), column.valueType)
      add(
        "ALTER TABLE \(tableName(table.name)) ALTER COLUMN \(quoted(column.name)) TYPE \(column.type) USING \(plain)",
        rows: table.name)
    }
  }

  // MARK: Values

  /// Encrypts or decrypts the values of a property, or moves them into or out of files, if its storage changes.
  mutating func reseal(
    _ property: PropertyLayout, _ column: ColumnMapping, of entity: EntityLayout, in table: PhysicalTable,
    _ rows: String?
  ) {
    guard let old = changedOutOfRowValue(of: property, in: entity.name) else { return }
    // A column whose external values move into the row still contains file names, as text. All other values are blobs.
    let isText =
      isEncrypted(old) || isEncrypted(property) ? nil : migration.dialect.isExternalReference(quoted(column.name))
    let tests = [rows, isText].compactMap { $0 }
    let becameRequired = old.isOptional && !property.isOptional
    let plain = plainTypes(old, property, column, in: entity.name)
    let reseal = RowReseal(
      name: "\(entity.name).\(property.name)", table: table.name, column: column.name,
      type: plain.new == nil ? SQLParameterType(column) : .value(.blob),
      test: tests.isEmpty ? nil : tests.joined(separator: " AND "), old: old.outOfRowValue, new: property.outOfRowValue,
      widened: widenedFormat(of: property, from: old, in: entity.name),
      hasOriginals: property.valueType == String.self,
      standard: becameRequired ? migration.standard([property.name], of: property, in: entity.name) : nil,
      oldPlain: plain.old, newPlain: plain.new)
    plan.operations.append(.reseal(reseal))
  }

  /// The types of the plain values that the column contains as bytes, before and after the conversion.
  private func plainTypes(
    _ old: PropertyLayout, _ new: PropertyLayout, _ column: ColumnMapping, in entity: String
  ) -> (old: SQLParameterType?, new: SQLParameterType?) {
    guard isEncrypted(old) != isEncrypted(new) else { return (nil, nil) }
    if isEncrypted(old) {
      let type = SQLParameterType(column)
      return (nil, isTyped(type) ? type : nil)
    }
    let mapping = migration.oldProperty(new.name, in: entity).flatMap { $0.columns(of: $1.position).first }
    return (mapping.map { SQLParameterType($0) }.flatMap { isTyped($0) ? $0 : nil }, nil)
  }
}
