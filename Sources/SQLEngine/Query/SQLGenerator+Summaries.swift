import PersistenceRuntime

/// Computes counts and extremes of to-many relationships and lists, and tests their elements.
extension SQLGenerator {
  /// The SQL of `node`: whether any element satisfies the condition, how many do, or the least or greatest that does.
  mutating func summary(
    _ node: QueryNode, of row: Int32, _ condition: SQLFragment, list: SQLFragment?
  ) throws -> SQLFragment {
    let source = try source(of: row, condition, list: list)
    let value = dialect.elementValue(of: rows.alias(row))
    return switch node {
    case .exists: .condition("EXISTS (SELECT 1\(source))", .never)
    case .count: SQLFragment(role: .expression, sql: "(SELECT count(*)\(source))", format: .integer)
    case .minimum: extreme(value, source, list, isGreatest: false)
    default: extreme(value, source, list, isGreatest: true)
    }
  }

  /// The FROM and WHERE clauses of a subquery for the elements that satisfy the condition.
  private mutating func source(
    of row: Int32, _ condition: SQLFragment, list: SQLFragment?
  ) throws -> String {
    var tests: [String] = []
    var tables: String
    if let list {
      tables = dialect.elements(ofList: try packed(list, list.format), format: list.format, as: rows.alias(row))
    } else {
      let (source, connection) = try rows.source(of: row)
      tables = source
      tests.append(connection)
    }
    let condition = try self.condition(condition)
    if condition.role != .truth(true) { tests.append(tests.isEmpty ? condition.sql : "(\(condition.sql))") }
    tables += try rows.joins(of: row)
    return " FROM \(tables)" + (tests.isEmpty ? "" : " WHERE \(tests.joined(separator: " AND "))")
  }

  private func extreme(_ value: String, _ source: String, _ list: SQLFragment?, isGreatest: Bool) -> SQLFragment {
    let term = list?.format == .decimal ? dialect.ordered(decimal: value) : value
    return SQLFragment(
      role: .expression,
      sql: "(SELECT \(dialect.extreme(term, format: list?.format ?? .integer, isGreatest: isGreatest))\(source))",
      format: list?.format ?? .integer, nullness: .meansNil, isUnsigned: list?.format == .integer)
  }

  /// The condition that a to-many relationship contains a model.
  mutating func membership(of model: SQLFragment, among row: Int32) throws -> SQLFragment {
    if model.role == .null { return .truth(false) }
    let (owner, keys) = try rows.owners(of: row, member: try value(model))
    return .condition("\(owner) IN (\(keys))", .meansFalse)
  }

  // MARK: Lists

  /// A list as SQL from which the database can extract elements. The caller passes the format: an empty list has none.
  private mutating func packed(_ list: SQLFragment, _ format: ColumnFormat) throws -> String {
    switch list.role {
    // It is unknown here whether integers are unsigned, so their type is the unsigned one. That type would keep the
    // database from using an index, but no index is used here.
    case .list(let position):
      placeholder(.elements(position, format), .list(format, isUnsigned: format == .integer))
    case .packedList: list.sql
    default: throw unsupported("the elements of something that is no list")
    }
  }

  /// The element of a list at an index; nil if the index is out of range.
  mutating func element(of list: SQLFragment, at index: SQLFragment, _ format: ColumnFormat) throws -> SQLFragment {
    let sql = dialect.element(ofList: try packed(list, format), format: format, at: try value(index))
    return SQLFragment(role: .expression, sql: sql, format: format, nullness: .meansNil)
  }

  /// Looks a key up in a list of keys, and returns the value at the same index in a list of values.
  mutating func lookUp(
    _ key: SQLFragment, _ keys: SQLFragment, _ values: SQLFragment, _ format: ColumnFormat
  ) throws -> SQLFragment {
    let sql = dialect.value(
      besideKey: compared(try value(key), key, key), inList: try packed(keys, key.format),
      values: try packed(values, format),
      formats: (key.format, format))
    return SQLFragment(role: .expression, sql: sql, format: format, nullness: .meansNil)
  }
}
