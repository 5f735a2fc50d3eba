import Foundation
import PersistenceRuntime
import PersistenceSupport

/// A schema before or after a migration stage. It is either the schema of a version, which has models, or the schema
/// that is recorded in the store, which has no models.
package struct MigrationSchema: Sendable {
  package let schema: Schema
  package let layouts: [EntityLayout]
  /// The schema as JSON, which the migration records in the store.
  package let json: String
  /// The name of the schema in messages.
  package let name: String
  /// Whether the schema has model classes, so that objects can be created from rows.
  package let hasModels: Bool

  package init(_ plan: SchemaPlan, name: String) {
    schema = plan.schema
    layouts = plan.layouts
    json = plan.json
    self.name = name
    hasModels = true
  }

  /// Decodes the schema that is recorded in a store.
  ///
  /// - Throws: `SwiftDataError.corruptValue` if the JSON does not describe a schema, or describes a contradictory one.
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
