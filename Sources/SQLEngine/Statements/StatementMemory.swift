import PersistenceSupport

/// The tables of a database, and the statements for requests in its dialect, by the shape of the request. Thread-safe.
///
/// All connections share it, and so do all stores with the same tables. Only preparing a statement is left to each
/// connection.
package final class StatementMemory: Sendable {
  package let database: DatabaseMapping
  private let dialect: any SQLDialect
  private let known = Lock(KnownStatements<RequestShape, RequestStatement>())
  private let knownAggregates = Lock(KnownStatements<AggregateShape, AggregateStatement>())

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
    known.withLock { $0.add(statement, for: shape, nodeCount: shape.nodes.count) }
    return statement
  }

  /// The statement for the calculations of a shape, written once.
  ///
  /// - Throws: `SwiftDataError.unsupportedPredicate` or `.unsupportedSortDescriptor`.
  package func statement(for shape: AggregateShape, table: TableMapping) throws -> AggregateStatement {
    if let statement = knownAggregates.withLock({ $0.statements[shape] }) { return statement }
    let statement = try AggregateStatement(shape, table: table, database: database, dialect: dialect)
    knownAggregates.withLock { $0.add(statement, for: shape, nodeCount: shape.whole.nodes.count) }
    return statement
  }
}

/// Statements by the shape of the requests that they answer, up to a limit.
private struct KnownStatements<Shape: Hashable & Sendable, Statement: Sendable> {
  private var limit: Int { 512 }
  /// The nodes of all shapes together: a predicate that is made of a thousand others has thousands.
  private var mostNodes: Int { 131_072 }

  private(set) var statements: [Shape: Statement] = [:]
  private var allNodes = 0

  mutating func add(_ statement: Statement, for shape: Shape, nodeCount: Int) {
    guard statements.count < limit, allNodes + nodeCount <= mostNodes else { return }
    if statements.updateValue(statement, forKey: shape) == nil { allNodes += nodeCount }
  }
}
