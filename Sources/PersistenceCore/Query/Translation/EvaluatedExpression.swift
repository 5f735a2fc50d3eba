import Foundation

/// A node that no store is asked for yet: a predicate with it is evaluated in memory.
///
/// A node that gets a translation moves to a file of its own.
package protocol EvaluatedExpression: TranslatableExpression {
  /// The node in words, with its spelling in Swift.
  static var words: String { get }
}

extension EvaluatedExpression {
  package func translate(into translation: inout QueryTranslation) throws(UntranslatableExpression) {
    throw UntranslatableExpression(Self.words)
  }

  package func translateMember(
    _ keyPath: AnyKeyPath, into translation: inout QueryTranslation
  ) throws(UntranslatableExpression) {
    throw UntranslatableExpression(Self.words)
  }

  package func translateBounds(
    into translation: inout QueryTranslation
  ) throws(UntranslatableExpression) -> QueryNode {
    throw UntranslatableExpression(Self.words)
  }
}

// MARK: Arithmetic

extension PredicateExpressions.Arithmetic: EvaluatedExpression {
  package static var words: String { "arithmetic (+, - or *)" }
}

extension PredicateExpressions.IntDivision: EvaluatedExpression {
  package static var words: String { "a division (/)" }
}

extension PredicateExpressions.IntRemainder: EvaluatedExpression {
  package static var words: String { "a remainder (%)" }
}

extension PredicateExpressions.FloatDivision: EvaluatedExpression {
  package static var words: String { "a division (/)" }
}

extension PredicateExpressions.UnaryMinus: EvaluatedExpression {
  package static var words: String { "a negative (-)" }
}

// MARK: Subscripts and aggregates

extension PredicateExpressions.CollectionIndexSubscript: EvaluatedExpression {
  package static var words: String { "an element of a collection ([ ])" }
}

extension PredicateExpressions.CollectionRangeSubscript: EvaluatedExpression {
  package static var words: String { "a part of a collection ([ ])" }
}

extension PredicateExpressions.DictionaryKeySubscript: EvaluatedExpression {
  package static var words: String { "a value of a dictionary ([ ])" }
}

extension PredicateExpressions.DictionaryKeyDefaultValueSubscript: EvaluatedExpression {
  package static var words: String { "a value of a dictionary ([default:])" }
}

extension PredicateExpressions.SequenceMaximum: EvaluatedExpression {
  package static var words: String { "the greatest element (max)" }
}

extension PredicateExpressions.SequenceMinimum: EvaluatedExpression {
  package static var words: String { "the least element (min)" }
}

// MARK: Conditions on elements

extension PredicateExpressions.SequenceContainsWhere: EvaluatedExpression {
  package static var words: String { "a search with a condition (contains(where:))" }
}

extension PredicateExpressions.SequenceAllSatisfy: EvaluatedExpression {
  package static var words: String { "a condition on all elements (allSatisfy)" }
}

extension PredicateExpressions.Filter: EvaluatedExpression {
  package static var words: String { "a filtered collection (filter)" }
}

// MARK: Text

extension PredicateExpressions.StringContainsRegex: EvaluatedExpression {
  package static var words: String { "a search for a regular expression (contains)" }
}

// MARK: Nested predicates

extension PredicateExpressions.ExpressionEvaluate: EvaluatedExpression {
  package static var words: String { "another predicate or expression (evaluate)" }
}
