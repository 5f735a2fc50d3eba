import Foundation
import PersistenceRuntime

/// Puts key paths and expressions into query trees that are operands: one value for each row, to sort, group or
/// calculate by.
package struct OperandTranslator {
  let entity: EntityLayout
  let storeEntity: StoreEntity?
  let directory: (any EntityDirectory)?

  /// - Parameter directory: Knows other entities; nil where the tree must not reach beyond the one that is asked about.
  package init(entity: EntityLayout, storeEntity: StoreEntity? = nil, directory: (any EntityDirectory)? = nil) {
    self.entity = entity
    self.storeEntity = storeEntity
    self.directory = directory
  }

  /// The tree of what an expression of one model says.
  ///
  /// - Throws: ``UntranslatableExpression`` when a store cannot calculate it.
  package func translate<Model, Value>(
    _ expression: Expression<Model, Value>
  ) throws(UntranslatableExpression) -> QueryTree {
    try translate(expression.expression, of: expression.variable.key)
  }

  /// The tree of what a key path of the model leads to.
  ///
  /// - Throws: ``UntranslatableExpression`` when no column holds it.
  package func translate(_ keyPath: AnyKeyPath) throws(UntranslatableExpression) -> QueryTree {
    var translation = translation(of: PredicateExpressions.Variable<Never>().key)
    try translation.appendProperty(at: keyPath, of: .root)
    try translation.finish(from: QueryTree().end)
    return translation.tree
  }

  private func translate<Node: PredicateExpression>(
    _ node: Node, of variable: PredicateExpressions.VariableID
  ) throws(UntranslatableExpression) -> QueryTree {
    guard let node = node as? any TranslatableExpression else { throw .unknown(Node.self) }
    var translation = translation(of: variable)
    try node.translate(into: &translation)
    try translation.finish(from: QueryTree().end)
    return translation.tree
  }

  private func translation(of variable: PredicateExpressions.VariableID) -> PredicateCompiler {
    PredicateCompiler(entity: entity, storeEntity: storeEntity, directory: directory, model: variable)
  }
}
