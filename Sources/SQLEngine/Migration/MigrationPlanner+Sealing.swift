import PersistenceRuntime
import PersistenceSchemas

// What is encrypted has the type of bytes. Where columns have types, a plain value goes into such a column as bytes,
// which are then encrypted in Swift. A decrypted value is written as bytes into a column that gets the type of its
// values afterwards.

extension MigrationPlanner {
  /// Whether a new column of plain values has bytes until encrypted values of rows are decrypted.
  func isUndecided(_ column: PhysicalColumn, in table: PhysicalTable) -> Bool {
    guard case .value(_, let property, _) = column.content, isTyped(column.valueType), !isEncrypted(property) else {
      return false
    }
    return table.members.contains { member in
      column.concerns(member.entity) && migration.change.isKept(member.entity.name)
        && changedOutOfRowValue(of: property, in: member.entity.name).map(isEncrypted) == true
    }
  }

  /// Whether values of a type cannot be in a column of encrypted ones.
  private func isTyped(_ type: SQLParameterType) -> Bool {
    type.format != .blob && migration.dialect.bytes(ofPlain: "", type) != nil
  }

  private func isEncrypted(_ property: PropertyLayout) -> Bool { property.outOfRowValue?.isEncrypted == true }

  // MARK: Sources

  /// What a column gets whose values are encrypted from now on: the bytes of those that it has.
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

  /// What a column gets that has bytes for now: encrypted values as they are, and the bytes of all others.
  ///
  /// - Parameter isEncrypted: Whether the old column has encrypted values.
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

  /// Gives the columns of a new table, which is empty yet, the type of bytes that need it.
  mutating func leaveUndecided(_ table: PhysicalTable) {
    let type = migration.definition.dialect.columnType(for: .blob)
    for column in table.columns where isUndecided(column, in: table) {
      add("ALTER TABLE \(tableName(table.name)) ALTER COLUMN \(quoted(column.name)) TYPE \(type) USING NULL")
    }
  }

  /// Gives them their own type, when all values are decrypted.
  mutating func decide(_ table: PhysicalTable) {
    for column in table.columns where isUndecided(column, in: table) {
      let plain = migration.dialect.plain(ofBytes: quoted(column.name), column.valueType)
      add(
        "ALTER TABLE \(tableName(table.name)) ALTER COLUMN \(quoted(column.name)) TYPE \(column.type) USING \(plain)",
        rows: table.name)
    }
  }

  // MARK: Values

  /// Encrypts, decrypts or moves the values of a property that cannot stay as they are.
  mutating func reseal(
    _ property: PropertyLayout, _ column: ColumnMapping, of entity: EntityLayout, in table: PhysicalTable,
    _ rows: String?
  ) {
    guard let old = changedOutOfRowValue(of: property, in: entity.name) else { return }
    // What only leaves its file is text until then, as no other value of the column is.
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

  /// The types of plain values whose bytes the column has, before and after.
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
