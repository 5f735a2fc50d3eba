import Foundation
import Synchronization

/// The templates of the predicates that an entity was asked about, by the types of their expressions.
///
/// A program has few predicates; what comes after the first thousand is translated anew each time. Templates are only ever
/// added, in front of others in chains, so that looking for one needs no lock, and stay for as long as the memory.
final class TemplateMemory: Sendable {
  /// What is remembered of an expression.
  enum Memory {
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

  /// The tree of an expression, when one of the same type and key paths was translated before.
  func memory<Expression: PredicateExpression<Bool>>(
    of expression: Expression, model: PredicateExpressions.VariableID
  ) -> Memory {
    let type = ObjectIdentifier(Expression.self)
    return withUnsafePointer(to: expression) { pointer in
      var result = Memory.nothing
      chain(of: type).walk { template in
        guard template.type == type else { return true }
        result = unsafe template.memory(of: UnsafeRawPointer(pointer), model: model)
        if case .nothing = result { return true }
        return false
      }
      return result
    }
  }

  /// Remembers the tree of an expression for others like it.
  func remember<Expression: PredicateExpression<Bool>>(_ tree: QueryTree, of expression: Expression) {
    let type = ObjectIdentifier(Expression.self)
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
    let template = withUnsafePointer(to: expression) { pointer in
      unsafe TranslationTemplate(type, parts, of: UnsafeRawPointer(pointer), tree: tree)
    }
    if let template { chain.add(template) }
  }

  /// Finds out where expressions of a type have their parts, which takes a while and is done once.
  private func parts<Expression: PredicateExpression<Bool>>(
    of type: Expression.Type, in chain: TemplateChain
  ) -> ExpressionParts? {
    let parts = (type as? any TranslatableExpression.Type).flatMap(ExpressionParts.parts)
    chain.add(TranslationTemplate(ObjectIdentifier(type), parts))
    return parts
  }

  private func chain(of type: ObjectIdentifier) -> TemplateChain {
    let address = UInt(bitPattern: type)
    return chains[Int((address >> 4 ^ address >> 10) % UInt(Self.chainCount))]
  }
}
