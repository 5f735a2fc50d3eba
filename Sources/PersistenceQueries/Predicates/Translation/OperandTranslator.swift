import Foundation
import PersistenceRuntime

/// Translates key paths and expressions to query trees with one value per row, for sorting, grouping and aggregates.
package struct OperandTranslator {
  let entity: EntityLayout
  let storeEntity: StoreEntity?
  let directory: (any EntityDirectory)?

  /// - Parameter directory: Finds other entities; nil if the tree must not refer to further rows.
  package init(entity: EntityLayout, storeEntity: StoreEntity? = nil, directory: (any EntityDirectory)? = nil) {
    self.entity = entity
    self.storeEntity = storeEntity
    self.directory = directory
  }

  /// The tree of an expression of one model.
  ///
  /// - Throws: ``UntranslatableExpression`` if a store cannot evaluate it.
  package func translate<Model, Value>(
    _ expression: Expression<Model, Value>
  ) throws(UntranslatableExpression) -> QueryTree {
    try translate(expression.expression, of: expression.variable.key)
  }

  /// The tree of a key path of the model.
  ///
  /// - Throws: ``UntranslatableExpression`` if no column stores its value.
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
