import Foundation
import PersistenceRuntime

extension PredicateExpressions.Filter: TranslatableExpression
where LHS: TranslatableExpression, RHS: TranslatableExpression {
  package func translate(into translation: inout PredicateCompiler) throws(UntranslatableExpression) {
    throw UntranslatableExpression("a filtered collection (filter) that is compared as a whole")
  }

  package func translateElements(
    into translation: inout PredicateCompiler
  ) throws(UntranslatableExpression) -> ElementScope {
    try filter.translate(asConditionOn: sequence, variable.key, into: &translation)
  }

  package func value(in bindings: PredicateBindings) throws -> Output {
    try sequence.value(in: bindings).filter { element in
      try filter.value(in: bindings, element, as: variable)
    }
  }
}
