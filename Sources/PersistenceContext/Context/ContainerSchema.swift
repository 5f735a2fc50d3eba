import PersistenceRuntime
import PersistenceSchemas
import PersistenceSupport

/// The schema of a container. One given as models is created on first use.
package final class ContainerSchema: Sendable {
  private let types: TypeList
  private let made: Lock<Schema?>

  package init(_ schema: Schema) {
    types = TypeList(types: [])
    made = Lock(schema)
  }

  package init(_ types: [any PersistentModel.Type]) {
    self.types = TypeList(types: types)
    made = Lock(nil)
  }

  package var value: Schema {
    made.withLock { made in
      if let made { return made }
      let schema = Schema(types.types)
      made = schema
      return schema
    }
  }

  package func plan() throws -> SchemaPlan {
    if let schema = made.withLock({ $0 }) { return try SchemaPlan(schema) }
    return try SchemaPlan.plan(for: types.types)
  }

  /// Metatypes of models are Sendable, but an array of them as existentials is not.
  private struct TypeList: @unchecked Sendable {
    let types: [any PersistentModel.Type]
  }
}
