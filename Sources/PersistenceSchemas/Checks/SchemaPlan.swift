import Foundation
import PersistenceRuntime
import PersistenceSupport

/// A validated schema with all data that opening a store needs. Thread-safe.
///
/// Computing it takes as long as opening the file. A program often opens the same models several times: in tests, in
/// previews, or once for each document.
package final class SchemaPlan: Sendable {
  /// The schema is never passed to the program, which might change its entities.
  package let schema: Schema
  package let entities: EntityIndex
  package let json: String
  private let container: SchemaPlan?

  /// The plan of the container's schema: this plan itself, unless this plan covers only one store's part of the schema.
  package var whole: SchemaPlan { container ?? self }

  /// - Parameter whole: The container's schema if this schema is a part of it, else nil.
  /// - Throws: `SwiftDataError.invalidSchema` with all contradictions.
  package init(_ schema: Schema, partOf whole: SchemaPlan? = nil) throws {
    try schema.validate()
    self.container = whole
    self.schema = schema
    self.entities = EntityIndex(try EntityLayout.layouts(of: schema))
    self.json = try schema.storedJSON()
  }

  package var layouts: [EntityLayout] { entities.layouts }

  /// The data that engines derive from the schema.
  private let engineData = Lock<[ObjectIdentifier: any AnyObject & Sendable]>([:])

  /// The data that an engine derives from the schema, computed on first use.
  ///
  /// - Parameters:
  ///   - engine: A type that no other engine uses. The type of the data is not sufficient: the statements of two
  ///     dialects have the same type.
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

  /// The plan of models and all related models, cached.
  package static func plan(for types: [any PersistentModel.Type]) throws -> SchemaPlan {
    let key = types.map { ObjectIdentifier($0) }
    if let plan = known.withLock({ $0[key] }) { return plan }
    let plan = try SchemaPlan(Schema(types))
    // Plans with transformers are not cached: transformers may be registered or removed between two containers.
    let isFixed = plan.layouts.allSatisfy { $0.properties.allSatisfy { $0.kind != .transformable } }
    if isFixed { known.withLock { $0[key] = plan } }
    return plan
  }
}
