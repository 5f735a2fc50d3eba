import PersistenceSupport

/// The tables of a database, and the statements for requests in its dialect, by the shape of the request. Thread-safe.
///
/// All connections share it, and so do all stores with the same tables. Only preparing a statement is left to each
/// connection.
package final class StatementMemory: Sendable {
  package let database: DatabaseMapping
  private let dialect: any SQLDialect
  private let known = Lock(KnownStatements())

  /// Makes a memory without statements.
  ///
  /// - Parameters:
  ///   - database: The tables.
  ///   - dialect: The dialect that the tables were mapped with.
  package init(_ database: DatabaseMapping, dialect: any SQLDialect) {
    self.database = database
    self.dialect = dialect
  }

  /// A memory for the same tables with plain indexes instead of those over points. The statements differ.
  package func withoutSpatialIndexes() -> StatementMemory {
    StatementMemory(database.withoutSpatialIndexes(dialect), dialect: dialect)
  }

  /// The statement for the requests of a shape, written once.
  ///
  /// - Throws: `SwiftDataError.unsupportedPredicate` or `.unsupportedSortDescriptor`.
  package func statement(for shape: RequestShape, table: TableMapping) throws -> RequestStatement {
    if let statement = known.withLock({ $0.statements[shape] }) { return statement }
    let statement = try RequestStatement(shape, table: table, database: database, dialect: dialect)
    known.withLock { $0.add(statement, for: shape) }
    return statement
  }
}

/// Statements by the shape of the requests that they answer, up to a limit.
private struct KnownStatements {
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
