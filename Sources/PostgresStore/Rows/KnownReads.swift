#if PostgreSQL
  import Foundation
  import PersistenceRuntime
  import PersistenceSchemas
  import PersistenceSupport
  import PostgresSQL
  import SQLEngine
  import Synchronization

  /// A statement for requests of one shape, written once, with the data for reading its rows.
  final class KnownRead {
    let sql: String
    /// The text by which the connection finds its prepared statement; nil until the statement is repeated.
    private var text: StatementText?
    private let parameters: [SQLParameter]
    private let types: [SQLParameterType]
    let columns: PostgresCursor.Columns
    /// The variants for some limits (``limited(by:dialect:)``).
    private var ofLimits: [(limit: Int, read: KnownRead)] = []
    private static let mostLimits = 4
    /// The column types of the last copied rows; nil before the first copy.
    var copiedTypes: [PostgresType?]?
    /// The last number of rows; negative at first. Atomic: another thread may have the session when the rows end.
    private let rowCount = Atomic<Int>(-1)

    /// - Parameters:
    ///   - sql: A statement that reads the primary key, then columns, then other values, and finally the originals of
    ///     the row (``OriginalNotes``), if the columns may have any.
    ///   - read: The columns.
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

    /// Whether there were few rows the last time, which are best read at once.
    var gaveFew: Bool { 0...FetchRequest.fewRows ~= rowCount.load(ordering: .relaxed) }

    /// Whether copying is best: there were many rows the last time, or this is the first run, which is slower anyway.
    var mayGiveMany: Bool { !(0..<Self.leastCopied ~= rowCount.load(ordering: .relaxed)) }

    /// The number of rows from which copying is worth its plan, which the server makes each time.
    private static let leastCopied = 1_000

    func note(rowCount: Int) { self.rowCount.store(rowCount, ordering: .relaxed) }

    /// Records that the statement will be repeated.
    fileprivate func keep() { text = StatementText(sql) }

    /// The statement with its parameters.
    func statement(_ parameters: PostgresParameters) -> PostgresStatement {
      text.map { PostgresStatement($0, parameters) } ?? PostgresStatement(sql, parameters)
    }

    /// The statement for requests with one limit, which is part of the text. Generic plans then look as cheap as custom
    /// ones, so the server keeps one. For a limit in a parameter, a generic plan assumes a tenth of the table.
    ///
    /// A program uses few limits. Limits beyond ``mostLimits`` use the statement with a parameter.
    func limited(by limit: Int?, dialect: PostgresDialect) -> KnownRead {
      guard text != nil, let limit, limit >= 0, let index = parameters.firstIndex(of: .limit) else { return self }
      if let known = ofLimits.first(where: { $0.limit == limit }) { return known.read }
      guard ofLimits.count < Self.mostLimits else { return self }
      let clause = dialect.limitClause(limit: dialect.placeholder(index + 1, types[index]), offset: nil)
      // The parameter stays, though the text does not use it: the numbers of other parameters must not change.
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

  /// The statements of a session's reads, by the shapes of their requests.
  struct KnownReads {
    /// All parts of a request on which a statement depends.
    enum ReadShape: Hashable {
      case key(table: Int, mask: UInt64, RequestPurpose)
      case keys(table: Int, mask: UInt64, RequestPurpose)
      case matching(RequestShape)
      // Layouts live as long as the store.
      case members(ObjectIdentifier, position: Int, MemberStatements.Scope, omitsOwner: Bool)

      /// The number of nodes in the shape.
      fileprivate var size: Int { if case .matching(let shape) = self { shape.nodes.count } else { 0 } }
    }

    private static let most = 512
    private static let greatestSize = 128

    private var known: [ReadShape: KnownRead] = [:]

    /// The statement for a shape.
    ///
    /// - Parameter write: Writes the statement.
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
