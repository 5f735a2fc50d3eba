import SQLEngine

/// The statements of one connection, by the shape of the requests that they answer.
struct StatementCache {
  /// Past so many, those that were not used for longest are given up.
  static let capacity = 256
  /// Past so many nodes of their shapes too: a predicate that is made of a thousand others is a large statement.
  static let mostNodes = 65_536

  private var statements: [RequestShape: SQLiteStatement] = [:]
  private var nodeCount = 0
  private var useCount = 0
  /// How many statements had to be prepared.
  private(set) var missCount = 0

  var count: Int { statements.count }

  mutating func statement(
    for shape: RequestShape, prepare: () throws -> SQLiteStatement
  ) rethrows -> SQLiteStatement {
    useCount += 1
    if let statement = statements[shape] {
      statement.lastUse = useCount
      return statement
    }
    missCount += 1
    let statement = try prepare()
    statement.lastUse = useCount
    nodeCount += shape.nodes.count
    if statements.count >= Self.capacity || nodeCount > Self.mostNodes { makeRoom(for: shape) }
    statements[shape] = statement
    return statement
  }

  /// Gives up the older half at once, so that finding the oldest costs next to nothing per statement.
  private mutating func makeRoom(for shape: RequestShape) {
    guard !statements.isEmpty else { return }
    let middle = statements.values.map(\.lastUse).sorted()[statements.count / 2]
    statements = statements.filter { $0.value.lastUse >= middle }
    nodeCount = statements.keys.reduce(shape.nodes.count) { $0 + $1.nodes.count }
  }
}
