import Foundation
import PersistenceRuntime
import PersistenceSupport

/// A schema as a migration needs it: that of a version, with its models, or what a store says about itself.
package struct MigrationSchema: Sendable {
  package let schema: Schema
  package let layouts: [EntityLayout]
  /// What the store says about itself afterwards.
  package let json: String
  /// How people call it.
  package let name: String
  /// Whether it has models, so that objects can be made of its rows.
  package let hasModels: Bool

  package init(_ plan: SchemaPlan, name: String) {
    schema = plan.schema
    layouts = plan.layouts
    json = plan.json
    self.name = name
    hasModels = true
  }

  /// What a store says about itself.
  ///
  /// - Throws: `SwiftDataError.corruptValue` when it is no schema, or one that no store can have been made of.
  package init(storedJSON json: String, path: String) throws {
    schema = try Schema.decoded(fromJSON: Data(json.utf8), source: path)
    let problems = SchemaChecks(schema).structuralProblems()
    guard problems.isEmpty else {
      throw SwiftDataError(
        .corruptValue,
        "What \(path) says about its schema contradicts itself. Restore it from a backup.\n"
          + problems.map(\.description).joined(separator: "\n"))
    }
    layouts = EntityLayout.layouts(ofStored: schema)
    self.json = json
    name = "the stored schema"
    hasModels = false
  }
}
