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
    let (range, element) = (try range.value(in: bindings), try element.value(in: bindings))
    if let text = element as? String, let range = range as? any BoundedRange, let isInside = range.holds(text: text) {
      return isInside
    }
    return range.contains(element)
  }
}
