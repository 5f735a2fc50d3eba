import Foundation
import PersistenceRuntime

extension PredicateExpressions.Conditional: TranslatableExpression
where Test: TranslatableExpression, If: TranslatableExpression, Else: TranslatableExpression {
  package func translate(into translation: inout PredicateCompiler) throws(UntranslatableExpression) {
    try test.translateTest(into: &translation)
    try trueBranch.translate(into: &translation)
    try falseBranch.translate(into: &translation)
    translation.append(.conditional)
  }

  package func translateTest(into translation: inout PredicateCompiler) throws(UntranslatableExpression) {
    try test.translateTest(into: &translation)
    try trueBranch.translateTest(into: &translation)
    try falseBranch.translateTest(into: &translation)
    translation.append(.conditional)
  }

  package func value(in bindings: PredicateBindings) throws -> Output {
    try test.value(in: bindings) ? trueBranch.value(in: bindings) : falseBranch.value(in: bindings)
  }
}
