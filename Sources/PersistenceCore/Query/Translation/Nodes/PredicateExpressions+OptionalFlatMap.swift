import Foundation

extension PredicateExpressions.OptionalFlatMap: TranslatableExpression
where LHS: TranslatableExpression, RHS: TranslatableExpression {
  package func translate(into translation: inout QueryTranslation) throws(UntranslatableExpression) {
    let operand = try translation.fragment { translation throws(UntranslatableExpression) in
      try wrapped.translate(into: &translation)
    }
    let start = translation.tree.end
    let useCount = try translation.binding(variable.key, to: operand) { translation throws(UntranslatableExpression) in
      try transform.translate(into: &translation)
    }
    // A result that is nil when the operand is needs no condition, behind which an index would be of no use.
    if useCount == 0 || !translation.tree.passesNilOn(from: start) {
      translation.require(operand, from: start)
    }
  }
}

extension QueryTranslation {
  /// Makes everything from a place on nil when an operand is.
  fileprivate mutating func require(_ operand: QueryFragment, from start: QueryTree.Position) {
    let result = cut(from: start)
    append(operand)
    append(QueryValue.null)
    append(.notEqual)
    append(result)
    append(QueryValue.null)
    append(.conditional)
  }
}
