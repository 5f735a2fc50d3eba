import PersistenceRuntime

/// Tests for equality, order and ranges. Nil and not-a-number are compared as in Swift.
extension SQLGenerator {
  /// The condition that two values are equal. Nil equals only nil.
  mutating func equality(_ lhs: SQLFragment, _ rhs: SQLFragment) throws -> SQLFragment {
    if lhs.role == .null { return try nilTest(rhs, isNil: true) }
    if rhs.role == .null { return try nilTest(lhs, isNil: true) }
    let (left, right) = try valuesForEquality(lhs, rhs)
    let (found, sought) = decimalKeys(left, lhs, right, rhs)
    // If at most one side can be NULL, plain `=` is enough: with NULL, its result is NULL, which counts as false. Every
    // database can use an index for `=`.
    let both = lhs.isNullable && rhs.isNullable
    let test = both ? dialect.isSame(found, sought) : "\(found) = \(sought)"
    let nullness: SQLFragment.Nullness = lhs.isNullable != rhs.isNullable ? .meansFalse : .never
    let isPlain = !lhs.isNullable || !rhs.isNullable
    let bounds = isPlain ? bounds(lhs, "=", rhs, left: left, right: right) : []
    guard mayBeNotANumber(lhs), mayBeNotANumber(rhs) else { return .condition(test, nullness, bounds) }
    return .condition("\(test) AND NOT (\(dialect.isNotANumber(left)))", joinedBy: "AND", nullness, bounds)
  }

  /// The condition that two values differ. Nil differs from every other value.
  mutating func inequality(_ lhs: SQLFragment, _ rhs: SQLFragment) throws -> SQLFragment {
    if lhs.role == .null { return try nilTest(rhs, isNil: false) }
    if rhs.role == .null { return try nilTest(lhs, isNil: false) }
    let (left, right) = try valuesForEquality(lhs, rhs)
    let test = lhs.isNullable || rhs.isNullable ? dialect.isDifferent(left, right) : "\(left) <> \(right)"
    guard mayBeNotANumber(lhs), mayBeNotANumber(rhs) else { return .condition(test, .never) }
    return .condition("\(test) OR \(dialect.isNotANumber(left))", joinedBy: "OR", .never)
  }

  /// The condition that one value is less or greater than another. Nil if either value is nil.
  mutating func comparison(_ lhs: SQLFragment, _ operation: String, _ rhs: SQLFragment) throws -> SQLFragment {
    let (left, right) = (try value(lhs, isUnsigned: rhs.isUnsigned), try value(rhs, isUnsigned: lhs.isUnsigned))
    let (before, after) = decimalsInOrder(left, lhs, right, rhs)
    var tests = ["\(before) \(operation) \(after)"]
    // Not-a-number sorts after all numbers, so only the side that has to be greater is tested for it.
    if lhs.format == .real, rhs.format == .real {
      let isLeftGreater = operation.hasPrefix(">")
      let test = dialect.isBelowNotANumber(isLeftGreater ? left : right)
      let (other, isNullable) = isLeftGreater ? (right, rhs.isNullable) : (left, lhs.isNullable)
      // If the other side is nil, the result must be nil and not false.
      tests.append(isNullable ? "(\(test) OR \(other) IS NULL)" : test)
    }
    return conjunction(
      tests, lhs.isNullable || rhs.isNullable ? .meansNil : .never,
      bounds(lhs, operation, rhs, left: left, right: right))
  }

  /// The condition that a value is between two bounds. False if one of the three is nil.
  mutating func range(
    _ operand: SQLFragment, _ lower: SQLFragment, _ upper: SQLFragment, includesUpper: Bool
  ) throws -> SQLFragment {
    let from = try value(lower, isUnsigned: operand.isUnsigned)
    let to = try value(upper, isUnsigned: operand.isUnsigned)
    let middle = try value(operand, isUnsigned: lower.isUnsigned || upper.isUnsigned)
    let above = decimalsInOrder(middle, operand, from, lower)
    let below = decimalsInOrder(middle, operand, to, upper)
    var tests = ["\(above.left) >= \(above.right)", "\(below.left) \(includesUpper ? "<=" : "<") \(below.right)"]
    if operand.format == .real, upper.format == .real { tests.append(dialect.isBelowNotANumber(to)) }
    let isNullable = operand.isNullable || lower.isNullable || upper.isNullable
    let least = bounds(operand, ">=", lower, left: middle, right: from)
    let greatest = bounds(operand, "<=", upper, left: middle, right: to)
    return conjunction(tests, isNullable ? .meansFalse : .never, least + greatest)
  }

  private mutating func nilTest(_ operand: SQLFragment, isNil: Bool) throws -> SQLFragment {
    if operand.role == .null { return .truth(isNil) }
    guard operand.isNullable else { return .truth(!isNil) }
    let value = try value(operand)
    return .condition(isNil ? "\(decimalKey(value, operand)) IS NULL" : "\(value) IS NOT NULL", .never)
  }

  private func conjunction(
    _ tests: [String], _ nullness: SQLFragment.Nullness, _ bounds: [SpatialBound]
  ) -> SQLFragment {
    .condition(tests.joined(separator: " AND "), joinedBy: tests.count > 1 ? "AND" : nil, nullness, bounds)
  }

  /// Not-a-number equals nothing, not even itself. So not-a-number is bound as a value that no column contains.
  private mutating func valuesForEquality(_ lhs: SQLFragment, _ rhs: SQLFragment) throws -> (String, String) {
    let left = try value(lhs, notANumber: .unlikeAnything, isUnsigned: rhs.isUnsigned)
    let right = try value(rhs, notANumber: lhs.isBound ? .stored : .unlikeAnything, isUnsigned: lhs.isUnsigned)
    return (compared(left, lhs, rhs), compared(right, lhs, rhs))
  }

  /// Whether a value may be not-a-number when the statement runs. In SQL, it would then equal another not-a-number.
  private func mayBeNotANumber(_ fragment: SQLFragment) -> Bool {
    fragment.format == .real && !(fragment.isBound && dialect.bindsUnlikeNumbers)
  }

  /// A side of a comparison, in a form in which equal values have equal bytes. JSON is converted to this form. Texts
  /// are already in stored form, in columns and in parameters. URLs are compared unchanged.
  func compared(_ sql: String, _ lhs: SQLFragment, _ rhs: SQLFragment) -> String {
    lhs.format == .json || rhs.format == .json ? dialect.form(ofJSON: sql) : sql
  }
}
