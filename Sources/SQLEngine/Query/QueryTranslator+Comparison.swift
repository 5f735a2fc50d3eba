import PersistenceCore

/// Equality, order and ranges, with Swift's idea of nil and of not-a-number.
extension QueryTranslator {
  /// Whether two values are equal, nil being equal to nil only.
  mutating func equality(_ lhs: SQLFragment, _ rhs: SQLFragment) throws -> SQLFragment {
    if lhs.role == .null { return try nilTest(rhs, isNil: true) }
    if rhs.role == .null { return try nilTest(lhs, isNil: true) }
    let (left, right) = (try value(lhs, notANumber: .unlikeAnything), try value(rhs, notANumber: opposite(of: lhs)))
    let isNullable = isNullableValue(lhs) || isNullableValue(rhs)
    // Between a value that may be nil and one that is not, plain equality is false or unknown for nil, which is
    // enough, and every database finds an index for it.
    let both = isNullableValue(lhs) && isNullableValue(rhs)
    let test = both ? dialect.isSame(left, right) : "\(left) = \(right)"
    guard lhs.mayBeNotANumber, rhs.mayBeNotANumber else {
      return .condition(test, isNullable: isNullable && !both)
    }
    return SQLFragment(
      role: .condition(joinedBy: "AND"), sql: "\(test) AND NOT (\(dialect.isNotANumber(left)))",
      isNullable: isNullable && !both)
  }

  /// Whether two values are not equal, nil being different from every value.
  mutating func inequality(_ lhs: SQLFragment, _ rhs: SQLFragment) throws -> SQLFragment {
    if lhs.role == .null { return try nilTest(rhs, isNil: false) }
    if rhs.role == .null { return try nilTest(lhs, isNil: false) }
    let (left, right) = (try value(lhs, notANumber: .unlikeAnything), try value(rhs, notANumber: opposite(of: lhs)))
    let isNullable = isNullableValue(lhs) || isNullableValue(rhs)
    let test = isNullable ? dialect.isDifferent(left, right) : "\(left) <> \(right)"
    guard lhs.mayBeNotANumber, rhs.mayBeNotANumber else { return .condition(test, isNullable: false) }
    return SQLFragment(
      role: .condition(joinedBy: "OR"), sql: "\(test) OR \(dialect.isNotANumber(left))", isNullable: false)
  }

  /// Whether one value comes before or after another; false when either is nil.
  mutating func comparison(_ lhs: SQLFragment, _ operation: String, _ rhs: SQLFragment) throws -> SQLFragment {
    let (left, right) = (try value(lhs, notANumber: .unknown), try value(rhs, notANumber: .unknown))
    var tests = ["\(left) \(operation) \(right)"]
    let greater = operation.hasPrefix(">") ? (lhs, left) : (rhs, right)
    if greater.0.mayBeNotANumber { tests.append(dialect.isBelowNotANumber(greater.1)) }
    return conjunction(tests, of: [lhs, rhs])
  }

  /// Whether a value lies between two bounds; false when any of them is nil.
  mutating func range(
    _ operand: SQLFragment, _ lower: SQLFragment, _ upper: SQLFragment, includesUpper: Bool
  ) throws -> SQLFragment {
    let middle = try value(operand, notANumber: .unknown)
    let from = try value(lower, notANumber: .unknown)
    let to = try value(upper, notANumber: .unknown)
    var tests = ["\(middle) >= \(from)", "\(middle) \(includesUpper ? "<=" : "<") \(to)"]
    if upper.mayBeNotANumber { tests.append(dialect.isBelowNotANumber(to)) }
    return conjunction(tests, of: [operand, lower, upper])
  }

  private mutating func nilTest(_ operand: SQLFragment, isNil: Bool) throws -> SQLFragment {
    guard isNullableValue(operand) else {
      // Not written down, so that a value that is compared with nil leaves no parameter unused.
      return SQLFragment(role: .truth(!isNil), sql: isNil ? "FALSE" : "TRUE")
    }
    return .condition("\(try value(operand)) \(isNil ? "IS NULL" : "IS NOT NULL")", isNullable: false)
  }

  private func conjunction(_ tests: [String], of operands: [SQLFragment]) -> SQLFragment {
    // A bound not-a-number makes the comparison unknown too.
    let isNullable = operands.contains { isNullableValue($0) || ($0.isBound && $0.format == .real) }
    return SQLFragment(
      role: .condition(joinedBy: tests.count > 1 ? "AND" : nil), sql: tests.joined(separator: " AND "),
      isNullable: isNullable)
  }

  /// Two bound not-a-numbers must not be bound as the same thing.
  private func opposite(of other: SQLFragment) -> NotANumberBinding {
    other.isBound ? .stored : .unlikeAnything
  }
}
