#if PostgreSQL
  import Foundation
  import PersistenceRuntime
  import PersistenceSchemas
  import PersistenceSupport
  import PostgresSQL
  import SQLEngine
  import Synchronization

  /// The SQL for all requests that differ only in their values, created once, with what is needed to read its rows.
  final class KnownRead {
    let sql: String
    /// The object by which the connection finds the prepared statement; nil if the statement is not cached.
    private var text: StatementText?
    private let parameters: [SQLParameter]
    private let types: [SQLParameterType]
    let columns: PostgresCursor.Columns
    /// The variants of the statement with a limit in the text (``limited(by:dialect:)``).
    private var ofLimits: [(limit: Int, read: KnownRead)] = []
    private static let mostLimits = 4
    /// The column types of the rows that were last read with COPY; nil if there were none.
    var copiedTypes: [PostgresType?]?
    /// The number of rows of the last execution; negative if there was none. Atomic, because another thread may already
    /// use the session when the rows end.
    private let rowCount = Atomic<Int>(-1)

    /// - Parameters:
    ///   - sql: A statement that reads the primary key, then columns, then other values. If the columns may have
    ///     originals (``OriginalNotes``), the last column has the originals of the row.
    ///   - read: The columns after the primary key.
    convenience init(
      _ sql: String, parameters: [SQLParameter] = [], types: [SQLParameterType] = [], _ read: [ColumnMapping]
    ) {
      // The primary key is the first column.
      var columns = PostgresCursor.Columns(unsigned: [false] + read.map(\.isUnsigned))
      if read.contains(where: \.mayHaveOriginals) {
        columns.originals = [nil] + read.map { $0.mayHaveOriginals ? $0.name : nil }
      }
      self.init(sql, parameters, types, columns)
    }

    private init(
      _ sql: String, _ parameters: [SQLParameter], _ types: [SQLParameterType], _ columns: PostgresCursor.Columns
    ) {
      (self.sql, self.columns) = (sql, columns)
      (self.parameters, self.types) = (parameters, types)
    }

    /// Whether the last execution returned few rows, so that all rows should be received at once.
    var gaveFew: Bool { 0...FetchRequest.fewRows ~= rowCount.load(ordering: .relaxed) }

    /// Whether to read with COPY: the last execution returned many rows, or this is the first, which is slow anyway.
    var mayGiveMany: Bool { !(0..<Self.leastCopied ~= rowCount.load(ordering: .relaxed)) }

    /// The number of rows from which COPY is faster, although the server plans each COPY statement again.
    private static let leastCopied = 1_000

    func note(rowCount: Int) { self.rowCount.store(rowCount, ordering: .relaxed) }

    /// Called when the statement is cached for other requests: the connection then finds it by the identity of
    /// ``text``.
    fileprivate func keep() { text = StatementText(sql) }

    /// The statement with its parameters.
    func statement(_ parameters: PostgresParameters) -> PostgresStatement {
      text.map { PostgresStatement($0, parameters) } ?? PostgresStatement(sql, parameters)
    }

    /// The statement with a limit in its text instead of a parameter. The generic plan for a limit in a parameter
    /// assumes a tenth of the table, so the server would plan each execution.
    ///
    /// Programs use few limits. After ``mostLimits`` different ones, further limits are passed as a parameter.
    func limited(by limit: Int?, dialect: PostgresDialect) -> KnownRead {
      guard text != nil, let limit, limit >= 0, let index = parameters.firstIndex(of: .limit) else { return self }
      if let known = ofLimits.first(where: { $0.limit == limit }) { return known.read }
      guard ofLimits.count < Self.mostLimits else { return self }
      let clause = dialect.limitClause(limit: dialect.placeholder(index + 1, types[index]), offset: nil)
      // The text does not use the parameter, which is still bound so that other parameters keep their numbers.
      guard let range = sql.range(of: clause, options: .backwards) else { return self }
      let read = KnownRead(
        sql.replacingCharacters(in: range, with: "LIMIT \(limit)"), parameters, types, columns)
      read.keep()
      ofLimits.append((limit, read))
      return read
    }

    /// The parameters of the statement for a request.
    func parameters(of request: FetchRequest) throws -> PostgresParameters {
      var result = PostgresParameters()
      switch request.selection {
      case .key(let key): result.append(key)
      case .keys(let keys): result.append(keys: keys)
      case .all: result = try bound(to: [], request)
      case .matching(let tree): result = try bound(to: tree.values, request)
      }
      return result
    }

    private func bound(to values: [QueryValue], _ request: FetchRequest) throws -> PostgresParameters {
      try PostgresParameters(
        parameters, types: types, values: values, limit: request.limit, offset: request.offset)
    }
  }

  /// The cached statements for the reads of a session, by the shape of the request.
  struct KnownReads {
    /// Everything in a request that determines its SQL.
    enum ReadShape: Hashable {
      case key(table: Int, mask: UInt64, RequestPurpose)
      case keys(table: Int, mask: UInt64, RequestPurpose)
      case matching(RequestShape)
      // The identifiers are unique, because the layouts of entities live as long as the store.
      case members(ObjectIdentifier, position: Int, MemberStatements.Scope, omitsOwner: Bool)

      /// The number of nodes in the query tree of the request.
      fileprivate var size: Int { if case .matching(let shape) = self { shape.nodes.count } else { 0 } }
    }

    private static let most = 512
    private static let greatestSize = 128

    private var known: [ReadShape: KnownRead] = [:]

    /// Returns the statement for a shape, from the cache if possible.
    ///
    /// - Parameter write: Creates the statement.
    mutating func read(for shape: ReadShape, _ write: () throws -> KnownRead) throws -> KnownRead {
      if let read = known[shape] { return read }
      let read = try write()
      if known.count < Self.most, shape.size <= Self.greatestSize {
        read.keep()
        known[shape] = read
      }
      return read
    }
  }
#endif
