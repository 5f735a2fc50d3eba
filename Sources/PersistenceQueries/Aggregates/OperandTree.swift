import Foundation
import PersistenceRuntime
import PersistenceSupport

/// Translates expressions to query trees with one value per row.
enum OperandTree {
  /// - Throws: ``UntranslatableExpression`` if a store cannot evaluate the expression; `SwiftDataError` if memory must
  ///   not either, because it would silently decrypt values.
  static func translate<Model: PersistentModel, Value>(
    _ expression: Expression<Model, Value>, in map: IdentityMap
  ) throws -> QueryTree {
    let translator = OperandTranslator(
      entity: map.entity, storeEntity: map.store.storeEntity(of: map.entity), directory: map.store)
    do {
      return try translator.translate(expression)
    } catch {
      throw map.entity.hasEncrypted ? refusal(error, in: map) : error
    }
  }

  private static func refusal(_ obstacle: UntranslatableExpression, in map: IdentityMap) -> any Error {
    SwiftDataError(
      .unsupportedKeyPath,
      "the store cannot calculate an expression of \(map.entity.name), because of \(obstacle), and memory does not, "
        + "because \(map.entity.name) has encrypted properties. Fetch the models, and calculate in Swift.")
  }
}
