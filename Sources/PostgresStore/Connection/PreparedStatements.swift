#if PostgreSQL
  /// The prepared statements of a session, which the server parses and plans only once.
  ///
  /// A statement is prepared when it is run for the second time, since many statements are run only once.
  struct PreparedStatements {
    /// How to send a statement.
    enum Use: Equatable {
      /// Send the text.
      case text
      /// Prepare the statement under this name, then run it by the name.
      case prepare(String)
      case prepared(String)
    }

    /// Identifies a statement by its `StatementText`; without one, by its text and the types of its parameters.
    private struct Key: Hashable {
      /// Retained, so that no new object can have the same address.
      let text: StatementText?
      let sql: String
      let types: [PostgresType]

      init(_ statement: PostgresStatement) {
        text = statement.text
        sql = statement.sql
        types = statement.parameters.types
      }

      static func == (lhs: Key, rhs: Key) -> Bool {
        guard lhs.text == nil, rhs.text == nil else { return lhs.text === rhs.text }
        return lhs.sql == rhs.sql && lhs.types == rhs.types
      }

      func hash(into hasher: inout Hasher) {
        if let text { return hasher.combine(ObjectIdentifier(text)) }
        hasher.combine(sql)
        hasher.combine(types)
      }
    }

    private var names: [Key: String] = [:]
    private var used: Set<Key> = []
    /// The number of names used so far, including those of statements that the server has dropped.
    private var count = 0
    /// Whether the server should drop all prepared statements: there are too many, or their tables have changed.
    private(set) var isStale = false
    private let isEnabled: Bool

    /// The maximum number of prepared statements. The server keeps the plan of each in memory.
    private static let most = 256
    private static let mostUsed = 4_096

    init(isEnabled: Bool) { self.isEnabled = isEnabled }

    mutating func use(_ statement: PostgresStatement) -> Use {
      // A statement without parameters and without `StatementText` is run only once, or has no plan.
      guard isEnabled, !isStale, statement.text != nil || statement.parameters.count > 0 else { return .text }
      let key = Key(statement)
      if let name = names[key] { return .prepared(name) }
      guard !used.insert(key).inserted else {
        if used.count > Self.mostUsed { used = [] }
        return .text
      }
      guard names.count < Self.most else {
        isStale = true
        return .text
      }
      count += 1
      let name = "osd\(count)"
      // Recorded now, because the same statement may follow in the same pipeline.
      names[key] = name
      return .prepare(name)
    }

    mutating func didNotPrepare(_ statement: PostgresStatement) { names[Key(statement)] = nil }

    /// Called with a statement's error: the prepared statement may be missing on the server, or its tables changed.
    mutating func didFail(_ error: PostgresError) {
      if error.isOfPreparation { isStale = true }
    }

    /// Called after the server has dropped all prepared statements.
    mutating func forget() {
      names = [:]
      used = []
      isStale = false
    }
  }
#endif
