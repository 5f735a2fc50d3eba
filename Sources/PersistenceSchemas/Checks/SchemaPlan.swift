import Foundation
import PersistenceRuntime
import PersistenceSupport

/// What opening a store needs of a schema, worked out once.
///
/// Reading the models, checking what they say and writing it down takes as long as opening the file does, and a program
/// opens the same models again and again: in tests, in previews, per document.
package final class SchemaPlan: Sendable {
  /// Never handed to users, who may change a schema's entities.
  package let schema: Schema
  package let entities: EntityIndex
  package let json: String
  private let container: SchemaPlan?

  /// The schema of the container, of which this is the part that one store holds, or all.
  package var whole: SchemaPlan { container ?? self }

  /// - Parameter whole: What the schema is a part of; nil when it is all that a container has.
  /// - Throws: `SwiftDataError.invalidSchema` with everything that contradicts itself.
  package init(_ schema: Schema, partOf whole: SchemaPlan? = nil) throws {
    try schema.validate()
    self.container = whole
    self.schema = schema
    self.entities = EntityIndex(try EntityLayout.layouts(of: schema))
    self.json = String(decoding: try schema.json(), as: UTF8.self)
  }

  package var layouts: [EntityLayout] { entities.layouts }

  /// What an engine makes of the schema, kept with it.
  private let engineData = Lock<(any AnyObject & Sendable)?>(nil)

  /// What an engine has made of the schema before, or makes now. One kind of engine opens a plan.
  package func derived<Derived: AnyObject & Sendable>(_ make: () -> Derived) -> Derived {
    if let known = engineData.withLock({ $0 }) as? Derived { return known }
    let made = make()
    engineData.withLock { $0 = made }
    return made
  }

  // MARK: Plans of listed models

  private static let known = Lock<[[ObjectIdentifier]: SchemaPlan]>([:])

  /// The plan of some models and of what they relate to.
  package static func plan(for types: [any PersistentModel.Type]) throws -> SchemaPlan {
    let key = types.map { ObjectIdentifier($0) }
    if let plan = known.withLock({ $0[key] }) { return plan }
    let plan = try SchemaPlan(Schema(types))
    // A transformer may be registered, or not, until the container opens: such a schema is checked every time.
    let isFixed = plan.layouts.allSatisfy { $0.properties.allSatisfy { $0.kind != .transformable } }
    if isFixed { known.withLock { $0[key] = plan } }
    return plan
  }
}
