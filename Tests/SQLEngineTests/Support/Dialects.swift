import Foundation
import PersistenceCore
import SQLEngine
import SQLiteStore
import Testing

/// The statements of some models in two dialects: SQLite's, and ``TestDialect``.
struct Dialects: Sendable {
  let sqlite: StatementWriter
  let other: StatementWriter

  init(_ models: [any PersistentModel.Type]) throws {
    let layouts = try SchemaPlan(Schema(models)).layouts
    sqlite = StatementWriter(layouts, dialect: SQLiteDialect())
    other = StatementWriter(layouts, dialect: TestDialect())
  }
}

/// A predicate, and the SQL condition that it becomes in both dialects.
struct PredicateCase<Model: PersistentModel>: Sendable, CustomTestStringConvertible {
  let rule: String
  let predicate: Predicate<Model>
  let sqlite: String
  let other: String

  init(_ rule: String, _ predicate: Predicate<Model>, sqlite: String, other: String) {
    self.rule = rule
    self.predicate = predicate
    self.sqlite = sqlite
    self.other = other
  }

  var testDescription: String { rule }

  func check(in dialects: Dialects, at location: SourceLocation = #_sourceLocation) throws {
    #expect(try dialects.sqlite.condition(predicate) == sqlite, sourceLocation: location)
    #expect(try dialects.other.condition(predicate) == other, sourceLocation: location)
  }
}

/// A request, and the SQL statement that it becomes in both dialects.
struct StatementCase: Sendable, CustomTestStringConvertible {
  let rule: String
  let sqlite: String
  let other: String
  let write: @Sendable (StatementWriter) throws -> String

  init(
    _ rule: String, sqlite: String, other: String, _ write: @escaping @Sendable (StatementWriter) throws -> String
  ) {
    self.rule = rule
    self.sqlite = sqlite
    self.other = other
    self.write = write
  }

  var testDescription: String { rule }

  func check(in dialects: Dialects, at location: SourceLocation = #_sourceLocation) throws {
    #expect(try write(dialects.sqlite) == sqlite, sourceLocation: location)
    #expect(try write(dialects.other) == other, sourceLocation: location)
  }
}
