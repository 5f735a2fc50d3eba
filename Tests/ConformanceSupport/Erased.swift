import PersistenceCore
import SwiftData

/// A predicate node whose static type shows only the type of its value, so that tests can compose random predicates.
///
/// It forwards every call to the wrapped node, so the tests check how the library translates that node. Sendable
/// without checks, because a test creates the values of a node and never changes them.
package struct Erased<Output>: StandardPredicateExpression, TranslatableExpression, @unchecked Sendable {
  package let node: any TranslatableExpression<Output>
  /// The predicate as text, for failure messages.
  package let words: String

  package init(_ node: any TranslatableExpression<Output>, _ words: String = "") {
    self.node = node
    self.words = words
  }

  package init(from decoder: any Decoder) throws {
    throw DecodingError.dataCorrupted(.init(codingPath: [], debugDescription: "never decoded"))
  }

  package func encode(to encoder: any Encoder) throws {
    throw EncodingError.invalidValue(words, .init(codingPath: [], debugDescription: "never encoded"))
  }

  package func evaluate(_ bindings: PredicateBindings) throws -> Output { try node.evaluate(bindings) }

  package func value(in bindings: PredicateBindings) throws -> Output { try node.value(in: bindings) }

  package var constant: Output? { node.constant }

  package var isConstant: Bool { node.isConstant }

  package func model(in translation: inout PredicateCompiler) throws(UntranslatableExpression) -> ModelReference? {
    try node.model(in: &translation)
  }

  package func translate(into translation: inout PredicateCompiler) throws(UntranslatableExpression) {
    try node.translate(into: &translation)
  }

  package func translateTest(into translation: inout PredicateCompiler) throws(UntranslatableExpression) {
    try node.translateTest(into: &translation)
  }

  package func translateMember(
    _ keyPath: AnyKeyPath, into translation: inout PredicateCompiler
  ) throws(UntranslatableExpression) {
    try node.translateMember(keyPath, into: &translation)
  }

  package func translateBounds(
    into translation: inout PredicateCompiler
  ) throws(UntranslatableExpression) -> QueryNode {
    try node.translateBounds(into: &translation)
  }

  package func translateElements(
    into translation: inout PredicateCompiler
  ) throws(UntranslatableExpression) -> ElementScope {
    try node.translateElements(into: &translation)
  }

  package func translateParts(
    into translation: inout PredicateCompiler, _ obstacles: inout [UntranslatableExpression]
  ) -> Bool {
    node.translateParts(into: &translation, &obstacles)
  }
}
