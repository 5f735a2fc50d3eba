#if PostgreSQL
  /// The prepared statements of a session, which the server need not parse and plan again.
  ///
  /// A statement is prepared at its second use: many are used only once.
  struct PreparedStatements {
    /// How to send a statement.
    enum Use: Equatable {
      /// As text.
      case text
      /// Prepare it under a name, then use the name.
      case prepare(String)
      case prepared(String)
    }

    /// Statements of equal text may have other parameter types, unless they share a `StatementText`.
    private struct Key: Hashable {
      /// Retained, so that no other object gets its identity.
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
    /// The number of names used, including those of statements that were dropped.
    private var count = 0
    /// Whether to drop all prepared statements: there are too many, or their tables have changed.
    private(set) var isStale = false
    private let isEnabled: Bool

    /// The maximum number of prepared statements. The server keeps the plan of each.
    private static let most = 256
    private static let mostUsed = 4_096

    init(isEnabled: Bool) { self.isEnabled = isEnabled }

    mutating func use(_ statement: PostgresStatement) -> Use {
      // Other statements without parameters are used once, or have no plan.
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
      // The statement may occur again in the same pipeline.
      names[key] = name
      return .prepare(name)
    }

    /// Records that preparing a statement failed.
    mutating func didNotPrepare(_ statement: PostgresStatement) { names[Key(statement)] = nil }

    /// Records the error of a prepared statement: it is missing on the server, or its tables have changed.
    mutating func didFail(_ error: PostgresError) {
      if error.isOfPreparation { isStale = true }
    }

    /// Records that the server has dropped all prepared statements.
    mutating func forget() {
      names = [:]
      used = []
      isStale = false
    }
  }
#endif
