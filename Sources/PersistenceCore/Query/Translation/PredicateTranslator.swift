import Foundation

/// Puts Foundation's predicates into query trees.
package struct PredicateTranslator {
  /// The tree that selects what a predicate does.
  ///
  /// - Throws: ``UntranslatableExpression`` when a store cannot answer the predicate; it may still be evaluated.
  package static func translate<Model>(
    _ predicate: Predicate<Model>, entity: EntityLayout, storeEntity: StoreEntity? = nil
  ) throws(UntranslatableExpression) -> QueryTree {
    var translation = QueryTranslation(entity: entity, storeEntity: storeEntity, model: predicate.variable.key)
    try translate(predicate.expression, into: &translation)
    try translation.checkComposites()
    return translation.tree
  }

  /// Finds the conformance by the expression's type; a cast of the expression would copy all of it into a box.
  private static func translate<Expression: PredicateExpression<Bool>>(
    _ expression: Expression, into translation: inout QueryTranslation
  ) throws(UntranslatableExpression) {
    guard let type = Expression.self as? any TranslatableExpression.Type else {
      throw UntranslatableExpression("an expression that is not Foundation's, somewhere in \(Expression.self)")
    }
    try translate(expression, as: type, into: &translation)
  }

  private static func translate<Expression, Translatable: TranslatableExpression>(
    _ expression: Expression, as type: Translatable.Type, into translation: inout QueryTranslation
  ) throws(UntranslatableExpression) {
    guard let expression = expression as? Translatable else { return }
    try expression.translateTest(into: &translation)
  }
}
