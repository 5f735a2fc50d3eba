import Foundation

extension PredicateExpressions.Comparison: TranslatableExpression
where LHS: TranslatableExpression, RHS: TranslatableExpression {
  package func translate(into translation: inout QueryTranslation) throws(UntranslatableExpression) {
    try StorageOrder.check(LHS.Output.self)
    try lhs.translate(into: &translation)
    try rhs.translate(into: &translation)
    translation.append(op.node)
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
}
