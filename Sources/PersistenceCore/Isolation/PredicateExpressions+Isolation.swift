import Foundation

extension PredicateExpressions {
  /// What `#Predicate` calls for `$0.name`, for a model whose `name` belongs to an actor.
  ///
  /// The key path to the isolated property is not Sendable, so that the compiler passes over Foundation's function and
  /// reads the name as one of the fields that belong to no actor.
  // swift-format-ignore: AlwaysUseLowerCamelCase
  public static func build_KeyPath<Root: PredicateExpression, Value>(
    root: Root, keyPath: any Swift.KeyPath<Root.Output._$Fields, Value> & Sendable
  ) -> PredicateExpressions.KeyPath<Root, Value> where Root.Output: PersistentModel {
    PredicateExpressions.KeyPath(root: root, keyPath: Root.Output.keyPath(keyPath))
  }
}
