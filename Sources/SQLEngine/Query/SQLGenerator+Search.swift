/// Searches in texts and lists.
extension SQLGenerator {
  /// Whether a text starts with another; nil when either is. A bound prefix becomes a range, for which there can be an
  /// index.
  mutating func prefixSearch(_ text: SQLFragment, _ prefix: SQLFragment) throws -> SQLFragment {
    let nullness: SQLFragment.Nullness = text.isNullable || prefix.isNullable ? .meansNil : .never
    let (operand, start) = (try value(text), try value(prefix))
    let test = dialect.starts(operand, with: start)
    guard case .bound(let position) = prefix.role else { return .condition(test, nullness) }
    // What stands behind the bytes of the prefix may belong to its last character.
    let end = placeholder(.prefixEnd(position), .value(.text))
    return .condition("\(operand) >= \(start) AND \(operand) < \(end) AND \(test)", joinedBy: "AND", nullness)
  }

  /// Whether a value is an element of a bound list.
  mutating func membership(of element: SQLFragment, in list: SQLFragment) throws -> SQLFragment {
    guard case .list(let position) = list.role else { throw unsupported("a search in a stored array") }
    if element.role == .null { return .truth(list.isNullable) }
    let operand = try value(element, notANumber: .unlikeAnything)
    // A list without values has no format of its own.
    let elements = placeholder(.list(position, element.format), .list(element.format))
    let test = isMember(compared(operand, element, element), element, ofList: elements)
    guard element.isNullable else { return .condition(test, .never) }
    guard list.isNullable else { return .condition(test, .meansFalse) }
    return .condition("\(test) OR \(decimalKey(operand, element)) IS NULL", joinedBy: "OR", .meansFalse)
  }
}
