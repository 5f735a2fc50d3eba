import Foundation

/// Puts expressions into query trees that are a value for each row.
enum OperandTree {
  /// - Throws: ``UntranslatableExpression`` when a store cannot calculate the expression.
  static func translate<Model: PersistentModel, Value>(
    _ expression: Expression<Model, Value>, in map: IdentityMap
  ) throws(UntranslatableExpression) -> QueryTree {
    var translation = QueryTranslation(
      entity: map.entity, storeEntity: map.store.storeEntity(of: map.entity), model: expression.variable.key)
    guard let node = expression.expression as? any TranslatableExpression else {
      throw UntranslatableExpression("an expression that is not Foundation's")
    }
    try node.translate(into: &translation)
    try translation.checkComposites()
    if let envelope = translation.tree.envelopeOpened(in: map.entity) {
      throw UntranslatableExpression("\(envelope.entity).\(envelope.property), which is not in the column itself")
    }
    return translation.tree
  }
}
