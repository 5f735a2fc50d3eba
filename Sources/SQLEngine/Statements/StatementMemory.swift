import PersistenceSupport

/// The tables of a database, and what requests of a shape became for them in its dialect.
///
/// All connections share one, and all stores that are opened with the same tables: only preparing a statement is a
/// connection's own work.
package final class StatementMemory: Sendable {
  package let database: DatabaseMapping
  private let dialect: any SQLDialect
  private let translations = Lock(Translations())

  /// Makes one that has no statements yet.
  ///
  /// - Parameter dialect: The one that the tables were mapped in.
  package init(_ database: DatabaseMapping, dialect: any SQLDialect) {
    self.database = database
    self.dialect = dialect
  }

  /// One for the same tables, with plain indexes in the place of those over points. The statements differ.
  package func withoutSpatialIndexes() -> StatementMemory {
    StatementMemory(database.withoutSpatialIndexes(dialect), dialect: dialect)
  }

  /// The statement for the requests of a shape, translated once.
  ///
  /// - Throws: `SwiftDataError.unsupportedPredicate` or `.unsupportedSortDescriptor`.
  package func statement(for shape: RequestShape, table: TableMapping) throws -> RequestStatement {
    if let known = translations.withLock({ $0.statements[shape] }) { return known }
    let translated = try RequestStatement(shape, table: table, database: database, dialect: dialect)
    translations.withLock { $0.add(translated, for: shape) }
    return translated
  }
}

/// Statements by the shape of what they answer, as many as fit.
private struct Translations {
  private static let limit = 512
  /// The nodes of all shapes together: a predicate that is made of a thousand others has thousands.
  private static let mostNodes = 131_072

  private(set) var statements: [RequestShape: RequestStatement] = [:]
  private var nodeCount = 0

  mutating func add(_ statement: RequestStatement, for shape: RequestShape) {
    guard statements.count < Self.limit, nodeCount + shape.nodes.count <= Self.mostNodes else { return }
    if statements.updateValue(statement, forKey: shape) == nil { nodeCount += shape.nodes.count }
  }
}
