import Foundation
import Synchronization

/// The templates of the predicates that an entity was asked about.
///
/// A program has few types of predicates; what comes after the first hundreds is translated anew each time.
final class TemplateMemory: Sendable {
  private static let capacity = 256
  /// Expressions of one type differ in their key paths and operators.
  private static let mostOfOneType = 16

  private struct Entry {
    var templates: [TranslationTemplate] = []
    /// Whether no expression of the type can have one.
    var isUnfit = false
  }

  private let entries = Mutex<[ObjectIdentifier: Entry]>([:])

  /// What is remembered of an expression.
  enum Memory {
    case tree(QueryTree)
    /// No expression of the type can have a template.
    case unfit
    case nothing
  }

  /// The tree of an expression, when one of the same type and key paths was translated before.
  func memory<Expression: PredicateExpression<Bool>>(
    of expression: Expression, model: PredicateExpressions.VariableID
  ) -> Memory {
    guard let entry = entries.withLock({ $0[ObjectIdentifier(Expression.self)] }) else { return .nothing }
    if entry.isUnfit { return .unfit }
    return withUnsafePointer(to: expression) { pointer in
      for template in entry.templates {
        if let tree = unsafe template.tree(for: UnsafeRawPointer(pointer), of: model) { return .tree(tree) }
      }
      return .nothing
    }
  }

  /// Remembers the tree of an expression for others like it.
  func remember<Expression: PredicateExpression<Bool>>(_ tree: QueryTree, of expression: Expression) {
    let type = ObjectIdentifier(Expression.self)
    let (known, count) = entries.withLock { ($0[type]?.templates.count ?? 0, $0.count) }
    guard known < Self.mostOfOneType, count < Self.capacity else { return }
    guard let parts = (Expression.self as? any TranslatableExpression.Type).flatMap(ExpressionParts.parts) else {
      return entries.withLock { $0[type, default: Entry()].isUnfit = true }
    }
    let template = withUnsafePointer(to: expression) { pointer in
      unsafe TranslationTemplate(type, parts, of: UnsafeRawPointer(pointer), tree: tree)
    }
    if let template { entries.withLock { $0[type, default: Entry()].templates.append(template) } }
  }
}
