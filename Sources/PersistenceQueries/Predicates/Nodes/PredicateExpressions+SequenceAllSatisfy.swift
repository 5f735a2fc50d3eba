import Foundation
import PersistenceRuntime

extension PredicateExpressions.SequenceAllSatisfy: TranslatableExpression
where LHS: TranslatableExpression, RHS: TranslatableExpression {
  package func translate(into translation: inout PredicateCompiler) throws(UntranslatableExpression) {
    let scope = try test.translate(asConditionOn: sequence, variable.key, isNegated: true, into: &translation)
    translation.append(.exists(row: scope.row), about: scope)
    translation.append(.not)
  }

  package func value(in bindings: PredicateBindings) throws -> Bool {
    try sequence.value(in: bindings).allSatisfy { element in
      try test.value(in: bindings, element, as: variable)
    }
  }
}
