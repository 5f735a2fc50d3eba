#if PostgreSQL
  /// The statements that the server keeps for a session, so that it need not take them apart and plan them again.
  ///
  /// A statement is kept from its second use on: many are used once.
  struct PreparedStatements {
    /// What to do with a statement.
    enum Use: Equatable {
      /// Send its text.
      case text
      /// Let the server keep it by a name, and use that.
      case prepare(String)
      case prepared(String)
    }

    /// The same text may have parameters more that it does not use, or others, unless it is an object of its own.
    private struct Key: Hashable {
      /// Retained, so that no other one gets its identity.
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
    /// The names that were given, also those of statements that the server no longer keeps.
    private var count = 0
    /// Whether to let go of all: there are too many, or they do not fit the tables any more.
    private(set) var isStale = false
    private let isEnabled: Bool

    /// The most statements that are kept. The server has the plan of each.
    private static let most = 256
    private static let mostUsed = 4_096

    init(isEnabled: Bool) { self.isEnabled = isEnabled }

    mutating func use(_ statement: PostgresStatement) -> Use {
      // Other statements without parameters come once, or have no plan.
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
      // It may come again in the same pipeline.
      names[key] = name
      return .prepare(name)
    }

    /// Notes that the server does not keep a statement after all.
    mutating func didNotPrepare(_ statement: PostgresStatement) { names[Key(statement)] = nil }

    /// Notes what failed with a kept statement: the server does not have it, or its tables have changed.
    mutating func didFail(_ error: PostgresError) {
      if error.isOfPreparation { isStale = true }
    }

    /// Notes that the server has let go of all.
    mutating func forget() {
      names = [:]
      used = []
      isStale = false
    }
  }
#endif
