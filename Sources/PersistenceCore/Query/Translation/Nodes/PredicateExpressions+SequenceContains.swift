import Foundation

extension PredicateExpressions.SequenceContains: TranslatableExpression
where LHS: TranslatableExpression, RHS: TranslatableExpression {
  package func translate(into translation: inout QueryTranslation) throws(UntranslatableExpression) {
    guard let values = sequence.constant else {
      throw UntranslatableExpression("a search in a stored \(LHS.Output.self)")
    }
    // A question about the type costs less than a cast that fails.
    if LHS.Output.self is any BoundedRange.Type, let range = values as? any BoundedRange {
      try StorageOrder.check(RHS.Output.self)
      try element.translate(into: &translation)
      return translation.append(try range.appendBounds(to: &translation))
    }
    translation.append(list: try QueryValueConversion.list(of: values))
    try element.translate(into: &translation)
    translation.append(.containsValue)
  }
}
