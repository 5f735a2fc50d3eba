import Foundation
import PersistenceRuntime

extension PredicateExpressions.SequenceContainsWhere: TranslatableExpression
where LHS: TranslatableExpression, RHS: TranslatableExpression {
  package func translate(into translation: inout PredicateCompiler) throws(UntranslatableExpression) {
    let scope = try test.translate(asConditionOn: sequence, variable.key, into: &translation)
    translation.append(.exists(row: scope.row), about: scope)
  }

  package func value(in bindings: PredicateBindings) throws -> Bool {
    try sequence.value(in: bindings).contains { element in
      try test.value(in: bindings, element, as: variable)
    }
  }
}

extension TranslatableExpression {
  /// Appends the elements of a collection, with the node as their condition.
  func translate(
    asConditionOn sequence: some TranslatableExpression, _ variable: PredicateExpressions.VariableID,
    isNegated: Bool = false, into translation: inout PredicateCompiler
  ) throws(UntranslatableExpression) -> ElementScope {
    var scope = try sequence.translateElements(into: &translation)
    try translation.appendCondition(on: &scope) { [scope] translation throws(UntranslatableExpression) in
      try translation.binding(variable, to: scope) { translation throws(UntranslatableExpression) in
        try translateTest(into: &translation)
      }
      if isNegated { translation.append(.not) }
    }
    return scope
  }
}
