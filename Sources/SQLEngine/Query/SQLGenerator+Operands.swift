import PersistenceRuntime

/// Converts SQL fragments to values, for example for a comparison, and to conditions, for example for AND.
extension SQLGenerator {
  /// The SQL of a fragment that is used as a value.
  ///
  /// - Parameter isUnsigned: Whether the fragment is compared or combined with a value that may exceed `Int64.max`.
  mutating func value(
    _ fragment: SQLFragment, notANumber: NotANumberBinding = .stored, isUnsigned: Bool = false
  ) throws -> String {
    switch fragment.role {
    case .column, .expression, .null: fragment.sql
    case .bound(let position):
      placeholder(
        ofValue: position, notANumber: fragment.format == .real ? notANumber : .stored,
        .value(fragment.format, isUnsigned: isUnsigned && fragment.format == .integer))
    case .truth(let isTrue): dialect.truth(isTrue)
    case .condition:
      dialect.value(ofCondition: fragment.nullness == .meansFalse ? "(\(fragment.sql)) IS TRUE" : fragment.sql)
    case .list, .packedList: throw unsupported("a list where a single value is expected")
    }
  }

  /// A fragment that is used as a condition. A Boolean value becomes the condition that it is true.
  mutating func condition(_ fragment: SQLFragment) throws -> SQLFragment {
    switch fragment.role {
    case .condition, .truth: fragment
    case .null: .condition("NULL", .meansNil)
    default: .condition(dialect.isTrue(try value(fragment)), fragment.nullness, fragment.bounds)
    }
  }

  /// Joins two conditions with AND or OR. Conditions with the same operator are joined without parentheses, because
  /// databases limit the depth of parentheses.
  ///
  /// Databases also limit the length of such a chain, since each term is an operand of the next one (SQLite: 1,000).
  mutating func join(_ lhs: SQLFragment, _ operation: String, _ rhs: SQLFragment) throws -> SQLFragment {
    let (left, right) = (try condition(lhs), try condition(rhs))
    let isFlat = terms(of: left, by: operation) + terms(of: right, by: operation) <= Self.mostFlatTerms
    let sql = "\(joined(left, operation, isFlat)) \(operation) \(joined(right, operation, isFlat))"
    let isAlwaysKnown = left.nullness == .never && right.nullness == .never
    var result = SQLFragment.condition(
      sql, joinedBy: operation, isAlwaysKnown ? .never : .meansFalse,
      operation == "AND" ? left.bounds + right.bounds : [])
    result.termCount = isFlat ? terms(of: left, by: operation) + terms(of: right, by: operation) : 2
    return result
  }

  /// The maximum number of terms in a chain. Longer chains get parentheses.
  private static var mostFlatTerms: Int { 64 }

  private func terms(of fragment: SQLFragment, by operation: String) -> Int {
    fragment.role == .condition(joinedBy: operation) ? fragment.termCount : 1
  }

  private func joined(_ fragment: SQLFragment, _ operation: String, _ isFlat: Bool) -> String {
    if case .condition(let own?) = fragment.role, !isFlat || own != operation { return "(\(fragment.sql))" }
    return fragment.sql
  }

  /// The negated condition. The negation of nil is nil. If NULL means false, the negation of NULL is true.
  mutating func negation(_ operand: SQLFragment) throws -> SQLFragment {
    let operand = try condition(operand)
    if case .truth(let isTrue) = operand.role { return .truth(!isTrue) }
    if operand.nullness == .meansFalse { return .condition("(\(operand.sql)) IS NOT TRUE", .never) }
    return .condition("NOT (\(operand.sql))", operand.nullness)
  }

  /// The first value; if that is nil, the second value.
  mutating func coalescence(_ lhs: SQLFragment, _ rhs: SQLFragment) throws -> SQLFragment {
    if lhs.role == .null { return rhs }
    if rhs.role == .null || !lhs.isNullable { return lhs }
    if case .condition(let operation) = lhs.role, rhs.role == .truth(false) {
      // The SQL of the condition stays unchanged, so that the database can use an index for it.
      return .condition(lhs.sql, joinedBy: operation, .meansFalse, lhs.bounds)
    }
    let isUnsigned = lhs.isUnsigned || rhs.isUnsigned
    let sql = "coalesce(\(try value(lhs, isUnsigned: isUnsigned)), \(try value(rhs, isUnsigned: isUnsigned)))"
    var result = expression(sql, lhs.format, rhs.nullness)
    result.isUnsigned = isUnsigned
    if rhs.role == .truth(false) { result.bounds = lhs.bounds }
    return result
  }

  /// One of two values, depending on a condition.
  mutating func choice(
    _ test: SQLFragment, _ whenTrue: SQLFragment, _ whenFalse: SQLFragment
  ) throws -> SQLFragment {
    let test = try condition(test)
    if case .truth(let isTrue) = test.role { return isTrue ? whenTrue : whenFalse }
    let isUnsigned = whenTrue.isUnsigned || whenFalse.isUnsigned
    let (first, second) = (
      try value(whenTrue, isUnsigned: isUnsigned), try value(whenFalse, isUnsigned: isUnsigned)
    )
    let sql = "CASE WHEN \(test.sql) THEN \(first) ELSE \(second) END"
    let format = whenTrue.role == .null ? whenFalse.format : whenTrue.format
    var result = expression(sql, format, whenTrue.isNullable || whenFalse.isNullable ? .meansNil : .never)
    result.isUnsigned = isUnsigned
    if whenFalse.role == .truth(false) || whenFalse.role == .null { result.bounds = test.bounds + whenTrue.bounds }
    return result
  }

  private func expression(
    _ sql: String, _ format: ColumnFormat, _ nullness: SQLFragment.Nullness
  ) -> SQLFragment {
    SQLFragment(
      role: .expression, sql: sql, format: format,
      nullness: nullness == .meansNil ? .meansNil : .never)
  }
}
