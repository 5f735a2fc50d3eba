#if PostgreSQL
  import PersistenceRuntime
  import PersistenceSchemas
  import PersistenceSupport
  import SQLEngine

  /// A statement that answers requests of one shape, written once, with what reading its rows takes.
  final class KnownRead {
    /// The statement without originals.
    let plainSQL: String
    private let sql: String
    private let hash: Int
    private let parameters: [SQLParameter]
    private let types: [SQLParameterType]
    let columns: PostgresCursor.Columns

    /// - Parameters:
    ///   - plainSQL: A statement that reads the primary key, then columns, and then what else it reads.
    ///   - table: The table of the columns.
    ///   - read: The columns.
    init(
      _ plainSQL: String, parameters: [SQLParameter] = [], types: [SQLParameterType] = [], of table: TableMapping,
      _ read: [ColumnMapping], dialect: PostgresDialect
    ) {
      self.plainSQL = plainSQL
      self.parameters = parameters
      self.types = types
      // The primary key is the first.
      let unsigned = [false] + read.map(\.isUnsigned)
      if read.contains(where: PostgresOriginals.mayHave) {
        let originals: [String?] = [nil] + read.map { PostgresOriginals.mayHave($0) ? $0.name : nil }
        columns = PostgresCursor.Columns(unsigned: unsigned, originals: originals)
        sql = PostgresOriginals(dialect: dialect).reading(plainSQL, of: table.name)
      } else {
        columns = PostgresCursor.Columns(unsigned: unsigned)
        sql = plainSQL
      }
      hash = sql.hashValue
    }

    /// The statement with what is bound to it.
    func statement(_ parameters: PostgresParameters) -> PostgresStatement {
      PostgresStatement(sql, parameters, hash: hash)
    }

    /// What a request binds to the statement.
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

  /// The statements by which a session reads, by the shape of what they answer.
  struct KnownReads {
    /// Everything that a statement depends on.
    enum Shape: Hashable {
      case key(table: Int, mask: UInt64, RequestPurpose)
      case keys(table: Int, mask: UInt64, RequestPurpose)
      case matching(RequestShape)
      // Layouts live as long as the store does.
      case members(ObjectIdentifier, position: Int, MemberStatements.Scope, omitsOwner: Bool)

      /// How many nodes it holds.
      fileprivate var size: Int { if case .matching(let shape) = self { shape.nodes.count } else { 0 } }
    }

    private static let most = 512
    private static let greatestSize = 128

    private var known: [Shape: KnownRead] = [:]

    /// The statement for a shape.
    ///
    /// - Parameter write: Writes it.
    mutating func read(for shape: Shape, _ write: () throws -> KnownRead) throws -> KnownRead {
      if let read = known[shape] { return read }
      let read = try write()
      if known.count < Self.most, shape.size <= Self.greatestSize { known[shape] = read }
      return read
    }
  }
#endif
