import PersistenceRuntime

/// A captured range whose bounds have a translation.
protocol BoundedRange {
  /// Appends the bounds, and returns the operator that takes them after the value.
  func appendBounds(to translation: inout PredicateCompiler) throws(UntranslatableExpression) -> QueryNode
}

extension Range: BoundedRange {
  func appendBounds(to translation: inout PredicateCompiler) throws(UntranslatableExpression) -> QueryNode {
    translation.append(try QueryValueConversion.convert(lowerBound))
    translation.append(try QueryValueConversion.convert(upperBound))
    return .betweenHalfOpen
  }
}

extension ClosedRange: BoundedRange {
  func appendBounds(to translation: inout PredicateCompiler) throws(UntranslatableExpression) -> QueryNode {
    translation.append(try QueryValueConversion.convert(lowerBound))
    translation.append(try QueryValueConversion.convert(upperBound))
    return .betweenClosed
  }
}

extension PartialRangeFrom: BoundedRange {
  func appendBounds(to translation: inout PredicateCompiler) throws(UntranslatableExpression) -> QueryNode {
    translation.append(try QueryValueConversion.convert(lowerBound))
    return .greaterOrEqual
  }
}

extension PartialRangeThrough: BoundedRange {
  func appendBounds(to translation: inout PredicateCompiler) throws(UntranslatableExpression) -> QueryNode {
    translation.append(try QueryValueConversion.convert(upperBound))
    return .lessOrEqual
  }
}

extension PartialRangeUpTo: BoundedRange {
  func appendBounds(to translation: inout PredicateCompiler) throws(UntranslatableExpression) -> QueryNode {
    translation.append(try QueryValueConversion.convert(upperBound))
    return .less
  }
}
