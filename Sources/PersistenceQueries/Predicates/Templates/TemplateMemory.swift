import Foundation
import PersistenceRuntime
import Synchronization

/// The templates of the predicates that an entity was asked about, by the types of their expressions.
///
/// A program has few predicates; what comes after the first thousand is translated anew each time. Templates are only ever
/// added, in front of others in chains, so that looking for one needs no lock, and stay for as long as the memory.
package final class TemplateMemory: Sendable {
  /// What is remembered of an expression.
  package enum Memory {
    case tree(QueryTree)
    /// The expression has to be walked through: no other of its type can help, or none with such values.
    case unfit
    case nothing
  }

  private static let chainCount = 64
  private static let longestChain = 16

  private let chains: [TemplateChain]

  init() {
    chains = (0..<Self.chainCount).map { _ in TemplateChain() }
  }

  /// What is known of the expression of a predicate.
  func memory(of expression: OpenedExpression) -> Memory {
    var result = Memory.nothing
    chain(of: expression.type).walk { template in
      guard template.type == expression.type else { return true }
      result = template.memory(of: expression)
      if case .nothing = result { return true }
      return false
    }
    return result
  }

  /// Remembers the tree of an expression for others like it.
  ///
  /// - Parameter model: The variable of the predicate.
  func remember<Expression: StandardPredicateExpression<Bool>>(
    _ tree: QueryTree, of expression: Expression, model: PredicateExpressions.VariableID
  ) {
    let type = UInt(bitPattern: ObjectIdentifier(Expression.self))
    let chain = chain(of: type)
    var count = 0
    var known: ExpressionParts?
    chain.walk { template in
      count += 1
      if template.type == type { known = known ?? template.parts }
      return count < Self.longestChain
    }
    guard count < Self.longestChain else { return }
    guard let parts = known ?? parts(of: Expression.self, in: chain) else { return }
    OpenedExpression.open(expression, model: model) { opened in
      guard let template = TranslationTemplate(of: opened, parts, tree: tree), template.finds(opened) else { return }
      chain.add(template)
    }
  }

  /// Finds out where expressions of a type have their parts, which takes a while and is done once.
  private func parts<Expression: PredicateExpression<Bool>>(
    of type: Expression.Type, in chain: TemplateChain
  ) -> ExpressionParts? {
    let parts = (type as? any TranslatableExpression.Type).flatMap(ExpressionParts.parts)
    chain.add(TranslationTemplate(of: UInt(bitPattern: ObjectIdentifier(type)), parts))
    return parts
  }

  private func chain(of type: UInt) -> TemplateChain {
    chains[Int((type >> 4 ^ type >> 10) % UInt(Self.chainCount))]
  }
}
