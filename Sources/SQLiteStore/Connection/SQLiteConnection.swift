import CSQLite
import PersistenceRuntime
import PersistenceSupport
import SQLEngine

/// A connection with its prepared statements.
///
/// Unchecked because it has mutable state and no lock: only one thread at a time uses it. The pool ensures this for
/// readers, and its ``ConnectionGate`` for the writer. Both transfer connections under their locks.
final class SQLiteConnection: @unchecked Sendable {
  let handle: SQLiteHandle
  let statementMemory: StatementMemory
  /// The tables of the store, from ``statementMemory``. Stored here because every request needs them.
  let database: DatabaseMapping
  /// The file's data version after this connection's last commit. Each commit changes the data version.
  var committedVersion: UInt32?
  /// The data version of the file at the last check for changes.
  var seenVersion: UInt32?
  /// The originals (texts and numbers before normalisation) of the rows that are being written as one batch.
  let originals = OriginalNotes()
  private var requests = StatementCache()
  @exclusivity(unchecked) private var tables: [TableStatements] = []
  private var others: [String: SQLiteStatement] = [:]
  @exclusivity(unchecked) private var ofSaves = [SQLiteStatement?](repeating: nil, count: SaveStatement.allCases.count)
  private var members: [MemberShape: SQLiteStatement] = [:]
  private let dialect = SQLiteDialect()

  init(_ handle: SQLiteHandle, statementMemory: StatementMemory) {
    self.handle = handle
    self.statementMemory = statementMemory
    self.database = statementMemory.database
  }

  /// The number of requests whose statement was not in the cache and had to be prepared.
  var missCount: Int { requests.missCount }

  /// Calls a closure with the statement of a request. The parameters are bound, and no row has been read yet.
  func withStatement<Result>(
    for request: FetchRequest, purpose: RequestPurpose, _ body: (SQLiteStatement) throws -> Result
  ) throws -> Result {
    let table = try database.table(for: request.entity)
    if case .key(let key) = request.selection {
      let mask = purpose == .rows ? request.mask & request.entity.storedMask : 0
      return try withLease(lookUp(table, mask: mask)) { statement in
        try statement.bind(key, at: 1)
        return try body(statement)
      }
    }
    return try withLease(statement(for: request, purpose: purpose, table: table)) { statement in
      try statement.bind(request)
      return try body(statement)
    }
  }

  /// Calls a closure with a statement. Prepared statements are cached by their SQL text.
  func withStatement<Result>(
    _ sql: String, parameters: [SQLParameter] = [], _ body: (SQLiteStatement) throws -> Result
  ) throws -> Result {
    try withLease(statement(sql, parameters: parameters), body)
  }

  func run(_ sql: String) throws {
    try withStatement(sql) { try $0.run() }
  }

  /// Calls a closure with a statement that every save runs.
  func withStatement<Result>(_ statement: SaveStatement, _ body: (SQLiteStatement) throws -> Result) throws -> Result {
    if let known = ofSaves[statement.rawValue] { return try withLease(known, body) }
    let new = try SQLiteStatement(statement.sql, on: handle)
    ofSaves[statement.rawValue] = new
    return try withLease(new, body)
  }

  func run(_ statement: SaveStatement) throws {
    try withStatement(statement) { try $0.run() }
  }

  func withInsert(into table: TableMapping, _ body: (SQLiteStatement) throws -> Void) throws {
    let statement = try tables[index(of: table)].insert {
      try SQLiteStatement(RowStatements(dialect: dialect).insert(into: table), on: handle)
    }
    try withLease(statement, body)
  }

  func withUpdate(_ table: TableMapping, mask: UInt64, _ body: (SQLiteStatement) throws -> Void) throws {
    let statement = try tables[index(of: table)].update(mask: mask) {
      try SQLiteStatement(RowStatements(dialect: dialect).update(table, mask: mask), on: handle)
    }
    try withLease(statement, body)
  }

  func withDelete<Result>(from table: TableMapping, _ body: (SQLiteStatement) throws -> Result) throws -> Result {
    let statement = try tables[index(of: table)].delete {
      try SQLiteStatement(RowStatements(dialect: dialect).delete(from: table), on: handle)
    }
    return try withLease(statement, body)
  }

  /// Calls a closure with the statement that reads the next key of a table.
  func withNextKey<Result>(
    of table: TableMapping, sql: @autoclosure () -> String, _ body: (SQLiteStatement) throws -> Result
  ) throws -> Result {
    let statement = try tables[index(of: table)].nextKey { try SQLiteStatement(sql(), on: handle) }
    return try withLease(statement, body)
  }

  /// Calls a closure with the statement that reads related rows (members) for all requests of the given shape.
  func withMembers<Result>(
    _ shape: MemberShape, sql: @autoclosure () throws -> String, _ body: (SQLiteStatement) throws -> Result
  ) throws -> Result {
    if let known = members[shape] { return try withLease(known, body) }
    let statement = try SQLiteStatement(sql(), on: handle)
    members[shape] = statement
    return try withLease(statement, body)
  }

  private func withLease<Result>(
    _ statement: SQLiteStatement, _ body: (SQLiteStatement) throws -> Result
  ) throws -> Result {
    let leased = try statement.lease()
    defer { leased.giveBack() }
    return try body(leased)
  }

  /// The index of a table's entry in `tables`. Allocates the array at the first call.
  private func index(of table: TableMapping) -> Int {
    if tables.isEmpty { tables = Array(repeating: TableStatements(), count: database.tables.count) }
    return table.index
  }

  private func lookUp(_ table: TableMapping, mask: UInt64) throws -> SQLiteStatement {
    try tables[index(of: table)].lookUp(mask: mask) {
      try SQLiteStatement(RowStatements(dialect: dialect).lookUp(table, mask: mask), on: handle)
    }
  }

  private func statement(
    for request: FetchRequest, purpose: RequestPurpose, table: TableMapping
  ) throws -> SQLiteStatement {
    let shape = RequestShape(request, purpose: purpose, table: table)
    return try requests.statement(for: shape) {
      let written = try statementMemory.statement(for: shape, table: table)
      return try SQLiteStatement(written.sql, parameters: written.parameters, on: handle)
    }
  }

  private func statement(_ sql: String, parameters: [SQLParameter]) throws -> SQLiteStatement {
    if let statement = others[sql], statement.hasParameters(parameters) { return statement }
    let statement = try SQLiteStatement(sql, parameters: parameters, on: handle)
    // A very large statement, for example with a thousand conditions, would use too much memory in the cache.
    guard sql.utf8.count <= 16_384 else { return statement }
    if others.count >= StatementCache.capacity { others.removeAll() }
    others[sql] = statement
    return statement
  }
}

extension SQLiteConnection {
  func count(_ request: FetchRequest) throws -> Int {
    if case .keys = request.selection { return try keys(request).count }
    return try withStatement(for: request, purpose: .count) { statement in
      let hasRow = try statement.step()
      if case .key = request.selection { return hasRow ? 1 : 0 }
      return hasRow ? Int(statement.integer(0)) : 0
    }
  }

  func keys(_ request: FetchRequest) throws -> [Int64] {
    if case .keys(let wanted) = request.selection {
      var request = request
      request.mask = 0
      var found: [Int64] = []
      try rows(of: wanted, request) { statement in
        while try statement.step() { found.append(statement.integer(0)) }
      }
      return found
    }
    return try withStatement(for: request, purpose: .keys) { statement in
      var keys: [Int64] = []
      while try statement.step() { keys.append(statement.integer(0)) }
      return keys
    }
  }

  /// The single number that a statement returns; nil if it returns no row or NULL.
  func number(_ sql: String) throws -> Int64? {
    try withStatement(sql) { try $0.number() }
  }
}

/// A statement that most or all saves run. A connection finds it by index, without hashing its text.
enum SaveStatement: Int, CaseIterable {
  case begin, version, record, commit, schemaVersion

  fileprivate var sql: String {
    switch self {
    case .begin: "BEGIN IMMEDIATE"
    case .version: "PRAGMA data_version"
    case .record: HistoryTable.append
    case .commit: "COMMIT"
    case .schemaVersion: "PRAGMA schema_version"
    }
  }
}

extension SQLiteConnection {
  /// Reads the related rows of the owners. Each pair contains the key of an owner and the key of a related row.
  func pairs(of relationship: RelationshipLayout, in entity: EntityLayout, owners: [Int64]) throws -> [RelatedPair] {
    guard let destination = database.table(named: relationship.destination) else { return [] }
    let table = try database.table(for: entity)
    let statements = MemberStatements(dialect: SQLiteDialect())
    let link = table.links[relationship.position]
    guard let sql = statements.pairs(of: relationship, owners: table, destination: destination, link: link) else {
      return []
    }
    return try withStatement(sql) { statement in
      try statement.bind(PackedList(keys: owners), at: 1)
      defer { statement.clearBindings() }
      var pairs: [RelatedPair] = []
      while try statement.step() {
        pairs.append(RelatedPair(owner: statement.integer(0), target: statement.integer(1)))
      }
      return pairs
    }
  }

  /// Calls a closure with the statement that selects the rows with the given keys.
  func rows(of keys: [Int64], _ request: FetchRequest, _ body: (SQLiteStatement) throws -> Void) throws {
    let table = try database.table(for: request.entity)
    let mask = request.mask & request.entity.storedMask
    let sql = RowStatements(dialect: SQLiteDialect()).lookUpSeveral(table, mask: mask)
    try withStatement(sql) { statement in
      try statement.bind(PackedList(keys: keys), at: 1)
      defer { statement.clearBindings() }
      try body(statement)
    }
  }
}

/// The parts of a request for relationship members that determine its SQL.
struct MemberShape: Hashable {
  private let entity: ObjectIdentifier
  private let position: Int
  private let scope: MemberStatements.Scope
  private let omitsOwner: Bool

  init(_ request: MemberRequest) {
    // Entity layouts live as long as the store, so each identity denotes the same entity.
    self.entity = ObjectIdentifier(request.entity)
    self.position = request.relationship.position
    self.scope = request.scope
    self.omitsOwner = request.omitsOwner
  }
}

extension MemberRequest {
  /// Whether the statement selects the members of one, some or all owners.
  var scope: MemberStatements.Scope {
    switch owners {
    case .one: .one
    case .some: .some
    case .all: .all
    }
  }
}

extension SQLiteConnection {
  /// The least primary key that is greater than all keys in the table and all keys ever assigned.
  func nextKey(of table: TableMapping) throws -> Int64 {
    try withNextKey(of: table, sql: Self.nextKeySQL(in: table.name)) { try Self.nextKey($0, of: table.sequenceName) }
  }

  func setNextKey(_ key: Int64, of table: TableMapping) throws {
    try setNextNumber(key, of: table.sequenceName)
  }

  /// The least key above all keys that pairs of a link table have ever had. The key is also the position of a new pair,
  /// which thus comes last: positions of other pairs may have been computed from keys of deleted pairs.
  func nextKey(of link: LinkTableMapping) throws -> Int64 {
    try withStatement(Self.nextKeySQL(in: link.name)) { try Self.nextKey($0, of: link.name) }
  }

  func setNextKey(_ key: Int64, of link: LinkTableMapping) throws {
    try setNextNumber(key, of: link.name)
  }

  /// Reads the next number of the sequence in parameter 1, and the greatest key of a table (the last in its b-tree).
  ///
  /// Both values are needed. Only the sequence contains keys of deleted rows, and only the table contains keys of rows
  /// that other programs added.
  private static func nextKeySQL(in table: String) -> String {
    let greatest = RowStatements(dialect: SQLiteDialect()).greatestKey(ofTableNamed: table)
    return "SELECT (SELECT next FROM \(StoreFormat.sequenceTable) WHERE entity = ?1), (\(greatest))"
  }

  private static func nextKey(_ statement: SQLiteStatement, of sequence: String) throws -> Int64 {
    try statement.bind(sequence, at: 1)
    guard try statement.step() else { return 1 }
    let (next, greatest) = (statement.integer(0), statement.integer(1))
    // The sum cannot overflow: it is limited to the greatest key. `reserveKeys` checks whether all keys are used up.
    return max(1, next, min(greatest, .max - 1) + 1)
  }
}

// MARK: Sequences

extension SQLiteConnection {
  /// The next number of a sequence; nil if the sequence table has no row for it yet.
  func nextNumber(of sequence: String) throws -> Int64? {
    try withStatement("SELECT next FROM \(StoreFormat.sequenceTable) WHERE entity = ?1") { statement in
      try statement.bind(sequence, at: 1)
      return try statement.step() ? statement.integer(0) : nil
    }
  }

  func setNextNumber(_ number: Int64, of sequence: String) throws {
    try withStatement("INSERT OR REPLACE INTO \(StoreFormat.sequenceTable) VALUES (?1, ?2)") { statement in
      try statement.bind(sequence, at: 1)
      try statement.bind(number, at: 2)
      try statement.run()
    }
  }
}

/// The prepared statements of one connection. Requests of the same shape, which differ only in values, share one.
struct StatementCache {
  /// The maximum number of statements. Above it, the statements that were not used for the longest time are dropped.
  static let capacity = 256
  /// The maximum number of predicate nodes in all cached shapes. A predicate with a thousand conditions is large.
  static let mostNodes = 65_536

  private var statements: [RequestShape: SQLiteStatement] = [:]
  private var nodeCount = 0
  private var useCount = 0
  /// The number of statements that had to be prepared.
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

  /// Drops the less recently used half of the statements at once. Searching for the oldest one each time would be slow.
  private mutating func makeRoom(for shape: RequestShape) {
    guard !statements.isEmpty else { return }
    let middle = statements.values.map(\.lastUse).sorted()[statements.count / 2]
    statements = statements.filter { $0.value.lastUse >= middle }
    nodeCount = statements.keys.reduce(shape.nodes.count) { $0 + $1.nodes.count }
  }
}

/// The prepared statements of one connection for single rows of one table.
struct TableStatements {
  private var lookUps: [(mask: UInt64, statement: SQLiteStatement)] = []
  private var updates: [UInt64: SQLiteStatement] = [:]
  private var insertion: SQLiteStatement?
  private var deletion: SQLiteStatement?
  private var nextKey: SQLiteStatement?

  /// The statement that reads one row. The search is linear, because a table is rarely read with more than one mask.
  mutating func lookUp(mask: UInt64, prepare: () throws -> SQLiteStatement) rethrows -> SQLiteStatement {
    for entry in lookUps where entry.mask == mask { return entry.statement }
    let statement = try prepare()
    if lookUps.count >= 8 { lookUps.removeFirst() }
    lookUps.append((mask, statement))
    return statement
  }

  mutating func update(mask: UInt64, prepare: () throws -> SQLiteStatement) rethrows -> SQLiteStatement {
    if let statement = updates[mask] { return statement }
    let statement = try prepare()
    if updates.count >= 64 { updates.removeAll() }
    updates[mask] = statement
    return statement
  }

  mutating func insert(prepare: () throws -> SQLiteStatement) rethrows -> SQLiteStatement {
    if let insertion { return insertion }
    let statement = try prepare()
    insertion = statement
    return statement
  }

  mutating func nextKey(prepare: () throws -> SQLiteStatement) rethrows -> SQLiteStatement {
    if let nextKey { return nextKey }
    let statement = try prepare()
    nextKey = statement
    return statement
  }

  mutating func delete(prepare: () throws -> SQLiteStatement) rethrows -> SQLiteStatement {
    if let deletion { return deletion }
    let statement = try prepare()
    deletion = statement
    return statement
  }
}

/// The table of originals (the exact texts and numbers of normalised values) in a SQLite file.
enum OriginalsTable {
  static let statements = OriginalStatements(dialect: SQLiteDialect())
  static let nextTable = statements.nextTable
  static let lookUp = statements.lookUp
  static let keys = statements.keys
  static let store = statements.store
  static let anyStatement = "SELECT 1 FROM sqlite_master LIMIT 1"

  /// The statement that creates the table, when the store gets its first original.
  ///
  /// The column `original` has no declared type. It holds a text. A text with U+0000 is stored as a blob, because other
  /// programs would truncate the text there.
  static let creation = """
    CREATE TABLE IF NOT EXISTS \(OriginalStatements.tableName) ("table" TEXT NOT NULL, key INTEGER NOT NULL, \
    "column" TEXT NOT NULL, original NOT NULL, PRIMARY KEY ("table", key, "column")) WITHOUT ROWID
    """
}

/// The names of the tables whose rows have originals, as last read from the table of originals.
struct KnownOriginals {
  /// The ``SQLiteHandle/dataVersion`` at which the tables were listed; nil if they must be listed again.
  var version: UInt32?
  /// May contain tables without originals, but contains every table with originals.
  var tables: Set<String> = []
}

extension SQLiteHandle {
  /// Records that rows of a table have originals.
  ///
  /// The list is replaced as a whole. Each access is then instantaneous, and the compiler proves statically that
  /// accesses do not overlap. Otherwise each look-up and each save would check exclusivity at run time.
  func noteOriginals(inTableNamed table: String) {
    var known = originals
    known.tables.insert(table)
    originals = known
  }
}

extension SQLiteConnection {
  /// The tables whose rows have originals in the snapshot of the caller's open statement or transaction.
  ///
  /// The file is queried only if the list may be out of date. Originals that this connection writes are listed at once.
  ///
  /// - Parameter isSchemaRead: Whether a statement has run in the snapshot, so that the connection has read its schema.
  func tablesWithOriginals(isSchemaRead: Bool = false) throws -> Set<String> {
    if handle.originals.version != handle.dataVersion { try listTablesWithOriginals(isSchemaRead) }
    return handle.originals.tables
  }

  private func listTablesWithOriginals(_ isSchemaRead: Bool) throws {
    var known = KnownOriginals(version: handle.dataVersion)
    // Any statement makes the connection reread a schema that another connection has changed.
    if !isSchemaRead { try withStatement(OriginalsTable.anyStatement) { _ = try $0.step() } }
    // Few stores have the table of originals. Without the table, no query is needed.
    if handle.knowsTable(OriginalStatements.tableName) { known.tables = try namesOfTables() }
    handle.originals = known
  }

  private func namesOfTables() throws -> Set<String> {
    try withStatement(OriginalsTable.nextTable) { statement in
      var names: Set<String> = []
      var last = ""
      while true {
        try statement.bind(last, at: 1)
        guard try statement.step(), let name = statement.text(0) else { return names }
        names.insert(name)
        last = name
        sqlite3_reset(statement.pointer)
      }
    }
  }
}
