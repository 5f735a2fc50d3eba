import PersistenceCore

/// Operands as values and as conditions.
extension QueryTranslator {
  /// Writes a fragment as a value.
  mutating func value(_ fragment: SQLFragment, notANumber: NotANumberBinding = .stored) throws -> String {
    switch fragment.role {
    case .column, .expression, .null: return fragment.sql
    case .bound(let position):
      let binding = fragment.format == .real ? notANumber : .stored
      return placeholder(.value(position, notANumber: binding))
    case .truth(let isTrue): return isTrue ? "1" : "0"
    case .condition: return "CASE WHEN \(fragment.sql) THEN 1 ELSE 0 END"
    case .list: throw unsupported("a list where a single value is expected")
    }
  }

  /// Writes a fragment as a condition; a value is one when it is a stored `true`.
  mutating func condition(_ fragment: SQLFragment) throws -> SQLFragment {
    switch fragment.role {
    case .condition, .truth: fragment
    case .null: SQLFragment(role: .truth(false), sql: "FALSE")
    default: .condition("\(try value(fragment)) = 1", isNullable: fragment.isNullable)
    }
  }

  /// Whether a fragment can be nil once it is written as a value.
  func isNullableValue(_ fragment: SQLFragment) -> Bool {
    switch fragment.role {
    case .column, .expression, .null: fragment.isNullable
    case .bound, .list, .truth, .condition: false
    }
  }

  /// Joins two conditions, flat as long as the operator stays the same: databases limit how deep parentheses go.
  mutating func join(_ lhs: SQLFragment, _ operation: String, _ rhs: SQLFragment) throws -> SQLFragment {
    let (left, right) = (try condition(lhs), try condition(rhs))
    let sql = "\(joined(left, by: operation)) \(operation) \(joined(right, by: operation))"
    return SQLFragment(
      role: .condition(joinedBy: operation), sql: sql, isNullable: left.isNullable || right.isNullable)
  }

  private func joined(_ fragment: SQLFragment, by operation: String) -> String {
    if case .condition(let own?) = fragment.role, own != operation { return "(\(fragment.sql))" }
    return fragment.sql
  }

  /// The opposite of a condition. What is unknown is false before it is negated, as it is in Swift.
  mutating func negation(_ operand: SQLFragment) throws -> SQLFragment {
    let operand = try condition(operand)
    if case .truth(let isTrue) = operand.role {
      return SQLFragment(role: .truth(!isTrue), sql: isTrue ? "FALSE" : "TRUE")
    }
    let sql = operand.isNullable ? "(\(operand.sql)) IS NOT TRUE" : "NOT (\(operand.sql))"
    return .condition(sql, isNullable: false)
  }

  /// One of two values, by a test.
  mutating func conditional(_ test: SQLFragment, _ then: SQLFragment, _ otherwise: SQLFragment) throws -> SQLFragment {
    let sql = "CASE WHEN \(try condition(test).sql) THEN \(try value(then)) ELSE \(try value(otherwise)) END"
    let format = then.role == .null ? otherwise.format : then.format
    return SQLFragment(
      role: .expression, sql: dialect.collated(sql, as: format), format: format,
      isNullable: isNullableValue(then) || isNullableValue(otherwise))
  }

  /// The first value unless it is nil, else the second.
  mutating func coalescence(_ lhs: SQLFragment, _ rhs: SQLFragment) throws -> SQLFragment {
    if lhs.role == .null { return rhs }
    if rhs.role == .null || !isNullableValue(lhs) { return lhs }
    let sql = "coalesce(\(try value(lhs)), \(try value(rhs)))"
    return SQLFragment(
      role: .expression, sql: dialect.collated(sql, as: lhs.format), format: lhs.format,
      isNullable: isNullableValue(rhs))
  }
}
