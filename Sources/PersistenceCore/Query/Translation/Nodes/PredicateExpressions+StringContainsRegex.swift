import Foundation

extension PredicateExpressions.StringContainsRegex: TranslatableExpression
where Subject: TranslatableExpression, Regex: TranslatableExpression {
  package func translate(into translation: inout QueryTranslation) throws(UntranslatableExpression) {
    throw UntranslatableExpression("a search for a regular expression (contains)")
  }

  package func value(in bindings: PredicateBindings) throws -> Bool {
    try subject.value(in: bindings).contains(regex.value(in: bindings))
  }
}
