import PersistenceRuntime

/// Arithmetic, and functions of values.
extension SQLGenerator {
  mutating func unary(_ node: QueryNode, _ operand: SQLFragment) throws -> SQLFragment {
    switch node {
    case .negative(let form):
      let sql = dialect.negation(form, try value(operand))
      return calculated(sql, form, operand.valueNullness, isConstant: operand.isConstant)
    case .textCount:
      return SQLFragment(
        role: .expression, sql: try answered(dialect.characterCount(try value(operand)), node),
        nullness: operand.valueNullness)
    case .dataCount:
      return SQLFragment(role: .expression, sql: dialect.byteCount(try value(operand)), nullness: operand.valueNullness)
    case .elements(let form):
      return SQLFragment(
        role: .packedList, sql: dialect.elements(ofJSON: try value(operand), form), format: form.format,
        nullness: operand.valueNullness, isUnsigned: form == .integer)
    case .hasMember(let row): return try membership(of: operand, among: row)
    default: throw unsupported("the operator \(node)")
    }
  }

  /// An arithmetic operation. An overflow returns NULL, which is neither nil nor a value: no condition on it holds.
  mutating func calculation(
    _ operation: ArithmeticOperation, _ form: NumberForm, _ lhs: SQLFragment, _ rhs: SQLFragment
  ) throws -> SQLFragment {
    let isUnsigned = form == .uint64
    let (left, right) = (try value(lhs, isUnsigned: isUnsigned), try value(rhs, isUnsigned: isUnsigned))
    let sql = dialect.calculation(operation, form, left, right)
    return calculated(
      sql, form, lhs.isNullable || rhs.isNullable ? .meansNil : .never, isConstant: lhs.isConstant && rhs.isConstant)
  }

  private func calculated(
    _ sql: String, _ form: NumberForm, _ nullness: SQLFragment.Nullness, isConstant: Bool
  ) -> SQLFragment {
    SQLFragment(
      role: .expression, sql: sql, format: form.format, nullness: nullness,
      isConstant: isConstant, isUnsigned: form == .uint64)
  }

  /// The condition that a function creates for a text and a searched part. Nil if either is nil.
  mutating func search(
    _ text: SQLFragment, _ part: SQLFragment, _ node: QueryNode, _ function: (String, String) -> String?
  ) throws -> SQLFragment {
    let nullness: SQLFragment.Nullness = text.isNullable || part.isNullable ? .meansNil : .never
    return .condition(try answered(function(try value(text), try value(part)), node), nullness)
  }

  mutating func textComparison(
    _ comparison: TextComparison, _ lhs: SQLFragment, _ rhs: SQLFragment
  ) throws -> SQLFragment {
    let sql = dialect.comparison(comparison, try value(lhs), try value(rhs))
    return SQLFragment(
      role: .expression, sql: try answered(sql, .compareText(comparison)),
      nullness: lhs.isNullable || rhs.isNullable ? .meansNil : .never)
  }

  mutating func valueForKey(_ form: ElementForm, _ dictionary: SQLFragment, _ key: SQLFragment) throws -> SQLFragment {
    let sql = dialect.value(ofJSON: try value(dictionary), forKey: try value(key), form)
    return SQLFragment(role: .expression, sql: sql, format: form.format, nullness: .meansNil)
  }
}

extension SQLFragment {
  /// What NULL means as the result of a function of this fragment, if the function returns NULL for NULL.
  var valueNullness: Nullness { nullness == .meansNil ? .meansNil : .never }
}
