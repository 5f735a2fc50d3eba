import Foundation
import PersistenceRuntime
import Synchronization

/// A cache of an entity's translated predicates, by expression type (decision 36). Thread-safe.
///
/// A program has few predicates; those after the first thousand are not cached. Templates are only prepended to chains
/// and live as long as the cache, so a look-up needs no lock.
package final class TemplateMemory: Sendable {
  /// The cached knowledge about an expression.
  package enum Memory {
    case tree(QueryTree)
    /// Templates do not help: the type's translation depends on more, or the values do not fit.
    case unfit
    case nothing
  }

  private static let chainCount = 64
  private static let longestChain = 16

  private let chains: [TemplateChain]

  init() {
    chains = (0..<Self.chainCount).map { _ in TemplateChain() }
  }

  /// The cached translation of an expression.
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

  /// Caches the tree of an expression.
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

  /// The parts of expressions of a type, computed once because that is slow.
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
