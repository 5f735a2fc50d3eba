import Foundation
import PersistenceRuntime
import PersistenceSupport

/// Puts expressions into query trees that are a value for each row.
enum OperandTree {
  /// - Throws: ``UntranslatableExpression`` when a store cannot calculate the expression; `SwiftDataError` when memory
  ///   must not, because it would silently open what is encrypted.
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
