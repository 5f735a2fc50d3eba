import PersistenceRuntime
import PersistenceSupport

/// A range that the predicate's closure has captured, and whose bounds can be translated.
protocol BoundedRange {
  /// Appends the bounds, and returns the operator that compares a value with the bounds.
  func appendBounds(to translation: inout PredicateCompiler) throws(UntranslatableExpression) -> QueryNode

  /// Whether a string is in the range, in the order in which stores sort strings; nil if the bounds are not strings.
  func holds(text: String) -> Bool?
}

extension Range: BoundedRange {
  func appendBounds(to translation: inout PredicateCompiler) throws(UntranslatableExpression) -> QueryNode {
    translation.append(try QueryValueConversion.convert(lowerBound))
    translation.append(try QueryValueConversion.convert(upperBound))
    return .betweenHalfOpen
  }

  func holds(text: String) -> Bool? {
    guard let lower = lowerBound as? String, let upper = upperBound as? String else { return nil }
    return StoredText.compare(lower, text) <= 0 && StoredText.compare(text, upper) < 0
  }
}

extension ClosedRange: BoundedRange {
  func appendBounds(to translation: inout PredicateCompiler) throws(UntranslatableExpression) -> QueryNode {
    translation.append(try QueryValueConversion.convert(lowerBound))
    translation.append(try QueryValueConversion.convert(upperBound))
    return .betweenClosed
  }

  func holds(text: String) -> Bool? {
    guard let lower = lowerBound as? String, let upper = upperBound as? String else { return nil }
    return StoredText.compare(lower, text) <= 0 && StoredText.compare(text, upper) <= 0
  }
}

extension PartialRangeFrom: BoundedRange {
  func appendBounds(to translation: inout PredicateCompiler) throws(UntranslatableExpression) -> QueryNode {
    translation.append(try QueryValueConversion.convert(lowerBound))
    return .greaterOrEqual
  }

  func holds(text: String) -> Bool? {
    (lowerBound as? String).map { StoredText.compare($0, text) <= 0 }
  }
}

extension PartialRangeThrough: BoundedRange {
  func appendBounds(to translation: inout PredicateCompiler) throws(UntranslatableExpression) -> QueryNode {
    translation.append(try QueryValueConversion.convert(upperBound))
    return .lessOrEqual
  }

  func holds(text: String) -> Bool? {
    (upperBound as? String).map { StoredText.compare(text, $0) <= 0 }
  }
}

extension PartialRangeUpTo: BoundedRange {
  func appendBounds(to translation: inout PredicateCompiler) throws(UntranslatableExpression) -> QueryNode {
    translation.append(try QueryValueConversion.convert(upperBound))
    return .less
  }

  func holds(text: String) -> Bool? {
    (upperBound as? String).map { StoredText.compare(text, $0) < 0 }
  }
}
