import PersistenceCore

/// Searches in texts and lists.
extension QueryTranslator {
  mutating func textSearch(_ text: SQLFragment, _ part: SQLFragment) throws -> SQLFragment {
    .condition(
      dialect.contains(try value(text), try value(part)),
      isNullable: isNullableValue(text) || isNullableValue(part))
  }

  /// Whether a text starts with another. A bound prefix becomes a range, for which there can be an index.
  mutating func prefixSearch(_ text: SQLFragment, _ prefix: SQLFragment) throws -> SQLFragment {
    let isNullable = isNullableValue(text) || isNullableValue(prefix)
    guard case .bound(let position) = prefix.role else {
      return .condition(dialect.starts(try value(text), with: try value(prefix)), isNullable: isNullable)
    }
    let (start, end) = (placeholder(.value(position, notANumber: .stored)), placeholder(.prefixEnd(position)))
    let operand = try value(text)
    return SQLFragment(
      role: .condition(joinedBy: "AND"), sql: "\(operand) >= \(start) AND \(operand) < \(end)", isNullable: isNullable)
  }

  /// Whether a value is an element of a bound list.
  mutating func membership(of element: SQLFragment, in list: SQLFragment) throws -> SQLFragment {
    guard case .list(let position) = list.role else {
      throw unsupported("the elements of a stored array")
    }
    if element.role == .null { return SQLFragment(role: .truth(list.isNullable), sql: list.isNullable ? "TRUE" : "FALSE") }
    let operand = try value(element, notANumber: .unlikeAnything)
    let test = dialect.isMember(operand, ofList: placeholder(.list(position)), format: element.format)
    guard list.isNullable, isNullableValue(element) else {
      return .condition(test, isNullable: isNullableValue(element))
    }
    return SQLFragment(role: .condition(joinedBy: "OR"), sql: "\(test) OR \(operand) IS NULL", isNullable: true)
  }
}
