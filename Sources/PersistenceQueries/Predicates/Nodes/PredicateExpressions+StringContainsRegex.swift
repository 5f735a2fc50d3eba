import Foundation
import PersistenceRuntime

extension PredicateExpressions.StringContainsRegex: TranslatableExpression
where Subject: TranslatableExpression, Regex: TranslatableExpression {
  package func translate(into translation: inout PredicateCompiler) throws(UntranslatableExpression) {
    guard let regex = regex.constant as? PredicateExpressions.PredicateRegex else {
      throw UntranslatableExpression("a search for a regular expression (contains) that depends on the model")
    }
    try subject.translate(into: &translation)
    translation.append(QueryValue.text(regex.stringRepresentation, .text))
    translation.append(.containsRegex)
  }

  package func value(in bindings: PredicateBindings) throws -> Bool {
    try subject.value(in: bindings).contains(regex.value(in: bindings))
  }
}
