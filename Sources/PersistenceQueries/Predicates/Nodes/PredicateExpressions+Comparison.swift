import Foundation
import PersistenceRuntime
import PersistenceSupport

extension PredicateExpressions.Comparison: TranslatableExpression
where LHS: TranslatableExpression, RHS: TranslatableExpression {
  package func translate(into translation: inout PredicateCompiler) throws(UntranslatableExpression) {
    guard LHS.Output.self is any StorageOrdered.Type else { return try translateCases(into: &translation) }
    try lhs.translate(into: &translation)
    try rhs.translate(into: &translation)
    translation.append(op.node)
  }

  /// Compares an enum with its own `<`: searches for the value in a list of the cases that satisfy the comparison.
  private func translateCases(into translation: inout PredicateCompiler) throws(UntranslatableExpression) {
    guard let cases = EnumCases.all(of: LHS.Output.self), lhs.isConstant != rhs.isConstant else {
      return try StorageOrder.check(LHS.Output.self)
    }
    if let constant = rhs.constant {
      translation.append(list: try QueryValueConversion.list(of: cases.filter { op.holds($0, constant) }))
      try lhs.translate(into: &translation)
    } else if let constant = lhs.constant {
      translation.append(list: try QueryValueConversion.list(of: cases.filter { op.holds(constant, $0) }))
      try rhs.translate(into: &translation)
    }
    translation.append(.containsValue)
  }

  package static func describe(_ parts: inout ExpressionParts, at offset: Int) {
    parts.add(LHS.self, at: offset, plus: MemoryLayout<Self>.offset(of: \.lhs))
    parts.add(RHS.self, at: offset, plus: MemoryLayout<Self>.offset(of: \.rhs))
    parts.addOperator(at: offset, plus: MemoryLayout<Self>.offset(of: \.op))
  }

  package func value(in bindings: PredicateBindings) throws -> Bool {
    try op.holds(lhs.value(in: bindings), rhs.value(in: bindings))
  }
}

extension PredicateExpressions.ComparisonOperator {
  fileprivate var node: QueryNode {
    switch self {
    case .lessThan: .less
    case .lessThanOrEqual: .lessOrEqual
    case .greaterThan: .greater
    case .greaterThanOrEqual: .greaterOrEqual
    }
  }

  /// Applies the operator. Strings are compared as in a store: by the bytes of their stored forms (in normal form C).
  func holds<Value: Comparable>(_ lhs: Value, _ rhs: Value) -> Bool {
    if let order = StoredOrder.compareTexts(lhs, rhs) { return holds(order) }
    return switch self {
    case .lessThan: lhs < rhs
    case .lessThanOrEqual: lhs <= rhs
    case .greaterThan: lhs > rhs
    case .greaterThanOrEqual: lhs >= rhs
    }
  }

  private func holds(_ order: Int) -> Bool {
    switch self {
    case .lessThan: order < 0
    case .lessThanOrEqual: order <= 0
    case .greaterThan: order > 0
    case .greaterThanOrEqual: order >= 0
    }
  }
}

extension PredicateExpressions.Equal: TranslatableExpression
where LHS: TranslatableExpression, RHS: TranslatableExpression {
  package func translate(into translation: inout PredicateCompiler) throws(UntranslatableExpression) {
    try translation.appendEquality(lhs, rhs, .equal)
  }

  package static func describe(_ parts: inout ExpressionParts, at offset: Int) {
    parts.add(LHS.self, at: offset, plus: MemoryLayout<Self>.offset(of: \.lhs))
    parts.add(RHS.self, at: offset, plus: MemoryLayout<Self>.offset(of: \.rhs))
  }

  package func value(in bindings: PredicateBindings) throws -> Bool {
    try lhs.value(in: bindings) == rhs.value(in: bindings)
  }
}

extension PredicateExpressions.NotEqual: TranslatableExpression
where LHS: TranslatableExpression, RHS: TranslatableExpression {
  package func translate(into translation: inout PredicateCompiler) throws(UntranslatableExpression) {
    try translation.appendEquality(lhs, rhs, .notEqual)
  }

  package static func describe(_ parts: inout ExpressionParts, at offset: Int) {
    parts.add(LHS.self, at: offset, plus: MemoryLayout<Self>.offset(of: \.lhs))
    parts.add(RHS.self, at: offset, plus: MemoryLayout<Self>.offset(of: \.rhs))
  }

  package func value(in bindings: PredicateBindings) throws -> Bool {
    try lhs.value(in: bindings) != rhs.value(in: bindings)
  }
}

extension PredicateExpressions.Range: TranslatableExpression
where LHS: TranslatableExpression, RHS: TranslatableExpression {
  package func translate(into translation: inout PredicateCompiler) throws(UntranslatableExpression) {
    throw UntranslatableExpression("a comparison with a range")
  }

  package func translateBounds(
    into translation: inout PredicateCompiler
  ) throws(UntranslatableExpression) -> QueryNode {
    try lower.translate(into: &translation)
    try upper.translate(into: &translation)
    return .betweenHalfOpen
  }

  package func value(in bindings: PredicateBindings) throws -> Output {
    let (lower, upper) = (try lower.value(in: bindings), try upper.value(in: bindings))
    guard lower <= upper else { throw PredicateError.invalidInput }
    return lower..<upper
  }
}

extension PredicateExpressions.ClosedRange: TranslatableExpression
where LHS: TranslatableExpression, RHS: TranslatableExpression {
  package func translate(into translation: inout PredicateCompiler) throws(UntranslatableExpression) {
    throw UntranslatableExpression("a comparison with a range")
  }

  package func translateBounds(
    into translation: inout PredicateCompiler
  ) throws(UntranslatableExpression) -> QueryNode {
    try lower.translate(into: &translation)
    try upper.translate(into: &translation)
    return .betweenClosed
  }

  package func value(in bindings: PredicateBindings) throws -> Output {
    let (lower, upper) = (try lower.value(in: bindings), try upper.value(in: bindings))
    guard lower <= upper else { throw PredicateError.invalidInput }
    return lower...upper
  }
}

extension PredicateExpressions.RangeExpressionContains: TranslatableExpression
where RangeExpression: TranslatableExpression, Element: TranslatableExpression {
  package func translate(into translation: inout PredicateCompiler) throws(UntranslatableExpression) {
    try StorageOrder.check(Element.Output.self)
    try element.translate(into: &translation)
    translation.append(try range.translateBounds(into: &translation))
  }

  package func value(in bindings: PredicateBindings) throws -> Bool {
    let (range, element) = (try range.value(in: bindings), try element.value(in: bindings))
    if let text = element as? String, let range = range as? any BoundedRange, let isInside = range.holds(text: text) {
      return isInside
    }
    return range.contains(element)
  }
}
