import Foundation

extension PredicateExpressions.OptionalFlatMap: TranslatableExpression
where LHS: TranslatableExpression, RHS: TranslatableExpression {
  package func translate(into translation: inout QueryTranslation) throws(UntranslatableExpression) {
    if let member = wrapped.member(in: translation) { return try translate(asMember: member, into: &translation) }
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

extension PredicateExpressions.OptionalFlatMap where LHS: TranslatableExpression, RHS: TranslatableExpression {
  /// What is asked about the model when it is of a subclass, and nil when it is not.
  private func translate(
    asMember member: Int, into translation: inout QueryTranslation
  ) throws(UntranslatableExpression) {
    try translation.casting(variable.key, to: member) { translation throws(UntranslatableExpression) in
      try translation.appendMember(member) { translation throws(UntranslatableExpression) in
        try transform.translate(into: &translation)
      }
    }
  }
}

extension QueryTranslation {
  /// Makes everything from a place on nil when an operand is.
  fileprivate mutating func require(_ operand: QueryFragment, from start: QueryTree.Position) {
    let result = cut(from: start)
    appendNilTest(of: operand, .notEqual)
    append(result)
    append(QueryValue.null)
    append(.conditional)
  }
}
