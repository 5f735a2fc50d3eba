import SwiftData

@testable import PersistenceCore

/// A condition put together of other predicates at run time.
///
/// Unchecked, because the predicates in it are made by the test and changed by nobody.
struct Joined: StandardPredicateExpression, TranslatableExpression, @unchecked Sendable {
  let node: any TranslatableExpression<Bool>

  init(_ node: any TranslatableExpression<Bool>) { self.node = node }

  init(from decoder: any Decoder) throws {
    throw DecodingError.dataCorrupted(.init(codingPath: [], debugDescription: "never decoded"))
  }

  func encode(to encoder: any Encoder) throws {
    throw EncodingError.invalidValue(node, .init(codingPath: [], debugDescription: "never encoded"))
  }

  func evaluate(_ bindings: PredicateBindings) throws -> Bool { try node.evaluate(bindings) }

  package func value(in bindings: PredicateBindings) throws -> Bool { try node.value(in: bindings) }

  package func translate(into translation: inout QueryTranslation) throws(UntranslatableExpression) {
    try node.translate(into: &translation)
  }

  package func translateTest(into translation: inout QueryTranslation) throws(UntranslatableExpression) {
    try node.translateTest(into: &translation)
  }

  package func translateParts(
    into translation: inout QueryTranslation, _ obstacles: inout [UntranslatableExpression]
  ) -> Bool {
    node.translateParts(into: &translation, &obstacles)
  }
}
