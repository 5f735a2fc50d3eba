import Foundation
import PersistenceRuntime
import PersistenceSupport

/// A schema in a migration: the schema of a version, with models, or the schema of the store.
package struct MigrationSchema: Sendable {
  package let schema: Schema
  package let layouts: [EntityLayout]
  /// The encoded schema, which is recorded in the store.
  package let json: String
  /// The name in messages.
  package let name: String
  /// Whether the schema has models, so that its rows can become objects.
  package let hasModels: Bool

  package init(_ plan: SchemaPlan, name: String) {
    schema = plan.schema
    layouts = plan.layouts
    json = plan.json
    self.name = name
    hasModels = true
  }

  /// Decodes the schema of a store.
  ///
  /// - Throws: `SwiftDataError.corruptValue` if the JSON is not a schema, or not a valid schema of a store.
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
