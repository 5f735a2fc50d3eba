import Foundation
import PersistenceRuntime
import PersistenceSupport

extension PredicateExpressions.StringCaseInsensitiveCompare: TranslatableExpression
where Root: TranslatableExpression, Other: TranslatableExpression {
  package func translate(into translation: inout PredicateCompiler) throws(UntranslatableExpression) {
    try root.translate(into: &translation)
    try other.translate(into: &translation)
    translation.append(.compareText(.caseInsensitive))
  }

  package func value(in bindings: PredicateBindings) throws -> ComparisonResult {
    try LocalizedComparison.compare(
      String(root.value(in: bindings)), String(other.value(in: bindings)), .caseInsensitive)
  }
}

extension PredicateExpressions.StringLocalizedCompare: TranslatableExpression
where Root: TranslatableExpression, Other: TranslatableExpression {
  package func translate(into translation: inout PredicateCompiler) throws(UntranslatableExpression) {
    try root.translate(into: &translation)
    try other.translate(into: &translation)
    translation.append(.compareText(.localized))
  }

  package func value(in bindings: PredicateBindings) throws -> ComparisonResult {
    try LocalizedComparison.compare(String(root.value(in: bindings)), String(other.value(in: bindings)), .localized)
  }
}

extension PredicateExpressions.StringLocalizedStandardContains: TranslatableExpression
where Root: TranslatableExpression, Other: TranslatableExpression {
  package func translate(into translation: inout PredicateCompiler) throws(UntranslatableExpression) {
    try root.translate(into: &translation)
    try other.translate(into: &translation)
    translation.append(.containsLocalized)
  }

  package func value(in bindings: PredicateBindings) throws -> Bool {
    try LocalizedComparison.contains(String(root.value(in: bindings)), String(other.value(in: bindings)))
  }
}

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
    let (subject, regex) = (try subject.value(in: bindings), try regex.value(in: bindings))
    // Matches the text in normal form C, as a store does: U+212A (Kelvin sign) matches K only in this form.
    guard let text = subject as? String else { return subject.contains(regex) }
    return StoredText.composed(text).contains(regex)
  }
}
