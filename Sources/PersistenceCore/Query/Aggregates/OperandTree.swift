import Foundation

/// Puts expressions into query trees that are a value for each row.
enum OperandTree {
  /// - Throws: ``UntranslatableExpression`` when a store cannot calculate the expression from a row alone.
  static func translate<Model: PersistentModel, Value>(
    _ expression: Expression<Model, Value>, in map: IdentityMap
  ) throws(UntranslatableExpression) -> QueryTree {
    try OperandTranslator(entity: map.entity, storeEntity: map.store.storeEntity(of: map.entity)).translate(expression)
  }
}
