import Foundation
import PersistenceRuntime

extension PredicateExpressions.RangeExpressionContains: TranslatableExpression
where RangeExpression: TranslatableExpression, Element: TranslatableExpression {
  package func translate(into translation: inout PredicateCompiler) throws(UntranslatableExpression) {
    try StorageOrder.check(Element.Output.self)
    try element.translate(into: &translation)
    translation.append(try range.translateBounds(into: &translation))
  }

  package func value(in bindings: PredicateBindings) throws -> Bool {
    try range.value(in: bindings).contains(element.value(in: bindings))
  }
}
