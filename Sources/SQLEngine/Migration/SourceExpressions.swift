import PersistenceRuntime
import PersistenceSchemas

/// Determines where the columns of an attribute get their values, from the old version of the attribute.
struct SourceExpressions {
  let old: AttributeForm
  let new: AttributeForm
  /// Returns the name and the format of the old column at a path; nil if there is none.
  let oldColumn: ([String]) -> (name: String, format: ColumnFormat)?
  /// Returns the default value of the column at a path of the new attribute.
  let standard: ([String]) -> StoredValue?
  let dialect: any SQLDialect
  /// Whether the migration discards the value at a path.
  let losesValue: ([String]) -> Bool
  let oldName: String

  /// Where the column at a path of the new attribute gets its values.
  func source(of path: [String], type: SQLParameterType) -> ColumnSource {
    guard !losesValue(path) else { return constant(path) }
    let plain = unwrapped(path, type)
    return wrapped(plain, path, type)
  }

  private func constant(_ path: [String]) -> ColumnSource { .constant(standard(path) ?? .null) }

  private func oldPath(_ path: [String]) -> [String] { [oldName] + path.dropFirst() }

  /// Where the column gets its values if no composite that encloses it is nil.
  private func unwrapped(_ path: [String], _ type: SQLParameterType) -> ColumnSource {
    guard new.part(at: path)?.isComposite != true else { return presence(path) }
    guard let part = old.part(at: oldPath(path)), !part.isComposite, let column = oldColumn(oldPath(path)) else {
      return constant(path)
    }
    let value = converted(column, to: type.format)
    let becameRequired = part.isOptional && new.part(at: path)?.isOptional == false
    guard becameRequired, let standard = standard(path) else { return value }
    if case .column(let name) = value { return .filled(name, standard) }
    return .expression("coalesce(\(value.sql(dialect, type)), \(dialect.literal(standard, of: type)))")
  }

  /// Where a presence column gets its values: it stores whether a composite of optional members is nil.
  private func presence(_ path: [String]) -> ColumnSource {
    guard let part = old.part(at: oldPath(path)) else { return constant(path) }
    guard part.isOptional else { return .constant(.integer(1)) }
    guard let presence = part.presence, let column = oldColumn(presence) else { return .constant(.null) }
    if presence == oldPath(path) { return .column(column.name) }
    return .expression("CASE WHEN \(dialect.quoted(column.name)) IS NOT NULL THEN 1 END")
  }

  /// Handles old rows in which an enclosing composite was nil: the new value is then nil or the default.
  private func wrapped(_ value: ColumnSource, _ path: [String], _ type: SQLParameterType) -> ColumnSource {
    var value = value
    for length in stride(from: path.count - 1, through: 1, by: -1) {
      let around = Array(path.prefix(length))
      guard let before = old.part(at: oldPath(around)), before.isComposite, before.isOptional,
        let presence = before.presence, let column = oldColumn(presence)
      else { continue }
      let isPresent = "\(dialect.quoted(column.name)) IS NOT NULL"
      if new.part(at: around)?.isOptional == false {
        let standard = dialect.literal(standard(path) ?? .null, of: type)
        value = .expression("CASE WHEN \(isPresent) THEN \(value.sql(dialect, type)) ELSE \(standard) END")
      } else if !isColumn(value) {
        value = .expression("CASE WHEN \(isPresent) THEN \(value.sql(dialect, type)) END")
      }
    }
    return value
  }

  private func isColumn(_ source: ColumnSource) -> Bool {
    switch source {
    case .column, .constant(.null): true
    default: false
    }
  }

  private func converted(_ column: (name: String, format: ColumnFormat), to format: ColumnFormat) -> ColumnSource {
    let name = dialect.quoted(column.name)
    return switch (column.format, format) {
    case (.integer, .real): .converted(column.name, sql: dialect.real(ofInteger: name))
    case (.integer, .decimal): .converted(column.name, sql: dialect.decimal(ofInteger: name))
    default: .column(column.name)
    }
  }
}

extension ColumnSource {
  /// - Parameter type: The type of the new column.
  func sql(_ dialect: any SQLDialect, _ type: SQLParameterType) -> String {
    switch self {
    case .column(let name): dialect.quoted(name)
    case .filled(let name, let value): "coalesce(\(dialect.quoted(name)), \(dialect.literal(value, of: type)))"
    case .converted(_, let sql), .expression(let sql): sql
    case .constant(let value): dialect.literal(value, of: type)
    }
  }
}
