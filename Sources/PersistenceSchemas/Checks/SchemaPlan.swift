import Foundation
import PersistenceRuntime
import PersistenceSupport

/// A validated schema, with the layouts and the JSON that opening a store needs. Thread-safe.
///
/// The plans of listed models are cached, because computing one takes as long as opening the file, and programs often
/// open the same models several times: in tests, in previews, or for each document.
package final class SchemaPlan: Sendable {
  /// The schema. It must not be passed to the program, which could change its entities.
  package let schema: Schema
  package let entities: EntityIndex
  package let json: String
  private let container: SchemaPlan?

  /// The plan of the container's whole schema: this plan itself, unless it is for one of several stores.
  package var whole: SchemaPlan { container ?? self }

  /// - Parameter whole: The plan of the container's schema, if this schema is a part of it; otherwise nil.
  /// - Throws: `SwiftDataError.invalidSchema`, whose message lists all contradictions.
  package init(_ schema: Schema, partOf whole: SchemaPlan? = nil) throws {
    try schema.validate()
    self.container = whole
    self.schema = schema
    self.entities = EntityIndex(try EntityLayout.layouts(of: schema))
    self.json = try schema.storedJSON()
  }

  package var layouts: [EntityLayout] { entities.layouts }

  /// The data that engines have computed from the schema, by the engine type that is passed to ``derived(for:_:)``.
  private let engineData = Lock<[ObjectIdentifier: any AnyObject & Sendable]>([:])

  /// Returns data that an engine computes from the schema, such as SQL statements. It is computed on first use.
  ///
  /// - Parameters:
  ///   - engine: A type that identifies the engine. The data's type cannot identify it, because two SQL dialects have
  ///     statements of the same type.
  ///   - make: Creates the data. Several threads may call it at the same time.
  package func derived<Derived: AnyObject & Sendable>(for engine: any Any.Type, _ make: () -> Derived) -> Derived {
    let key = ObjectIdentifier(engine)
    if let known = engineData.withLock({ $0[key] }) as? Derived { return known }
    let made = make()
    engineData.withLock { $0[key] = made }
    return made
  }

  // MARK: Plans of listed models

  private static let known = Lock<[[ObjectIdentifier]: SchemaPlan]>([:])

  /// Returns the plan for the given models and all related models, from the cache if possible.
  package static func plan(for types: [any PersistentModel.Type]) throws -> SchemaPlan {
    let key = types.map { ObjectIdentifier($0) }
    if let plan = known.withLock({ $0[key] }) { return plan }
    let plan = try SchemaPlan(Schema(types))
    // A plan with value transformers is not cached, because the program may later register or remove transformers.
    let isFixed = plan.layouts.allSatisfy { $0.properties.allSatisfy { $0.kind != .transformable } }
    if isFixed { known.withLock { $0[key] = plan } }
    return plan
  }
}
