import Foundation
import PersistenceCore
import SQLEngine
import SQLiteStore
import Testing

/// A change of models, and the statements of its migration in both dialects.
struct MigrationCase: Sendable, CustomTestStringConvertible {
  let rule: String
  let old: [any PersistentModel.Type]
  let new: [any PersistentModel.Type]
  let sqlite: [String]
  let other: [String]

  init(
    _ rule: String, from old: [any PersistentModel.Type], to new: [any PersistentModel.Type], sqlite: [String],
    other: [String]
  ) {
    self.rule = rule
    self.old = old
    self.new = new
    self.sqlite = sqlite
    self.other = other
  }

  var testDescription: String { rule }

  func check(at location: SourceLocation = #_sourceLocation) throws {
    #expect(try Self.statements(from: old, to: new, SQLiteDialect()) == sqlite, sourceLocation: location)
    #expect(try Self.statements(from: old, to: new, TestDialect()) == other, sourceLocation: location)
  }

  private static func statements(
    from old: [any PersistentModel.Type], to new: [any PersistentModel.Type], _ dialect: some SQLDialect
  ) throws -> [String] {
    try plan(from: old, to: new, dialect).all.flatMap { $0.statements(dialect: dialect) }
  }

  /// Plans the migration from the old models to the new ones.
  ///
  /// - Parameter keepsOld: True if a stage's code reads the old tables, so that they exist beside the new ones.
  static func plan(
    from old: [any PersistentModel.Type], to new: [any PersistentModel.Type], _ dialect: some SQLDialect,
    keepsOld: Bool = false
  ) throws -> DatabaseMigration.Plan {
    let before = MigrationSchema(try SchemaPlan(Schema(old)), name: "old")
    let after = MigrationSchema(try SchemaPlan(Schema(new)), name: "new")
    let change = SchemaChange(from: before.schema, to: after.schema)
    let defaults = try MigrationDefaults(change, after, cipher: nil, usesPlaceholders: keepsOld)
    return DatabaseMigration(
      change, from: DatabaseMapping(entities: before.layouts, dialect: dialect),
      to: DatabaseMapping(entities: after.layouts, dialect: dialect), defaults: defaults, keepsOld: keepsOld,
      sequenceTable: "counters", dialect: dialect
    ).planned()
  }
}
