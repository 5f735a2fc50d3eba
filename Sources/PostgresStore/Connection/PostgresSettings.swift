#if PostgreSQL
  import Foundation
  import PersistenceSupport

  /// How a connection is made, and how long what is done on it may take.
  package struct PostgresSettings: Sendable, Hashable {
    /// A URL (`postgresql://user@host/database`) or a connection string of libpq's. What it leaves out comes from libpq's
    /// environment variables, `.pgpass` and service files.
    package var connection: String
    /// Where the connection itself has none, or one that no longer holds.
    package var password: String?
    /// Gives the password of each new connection; nil where it does not change.
    package var passwordSource: PostgresConfiguration.PasswordSource?
    package var tls: PostgresConfiguration.TLS = .automatic
    /// How long connecting may take, all hosts and the look-up of their names included.
    package var connectTimeout: Duration = .seconds(10)
    /// How long the server lets a statement run; nil for any time.
    package var statementTimeout: Duration?
    /// How long the server lets a statement wait for a lock; nil for any time.
    package var lockTimeout: Duration?
    /// How long an answer may take, after which the connection is given up; nil for any time.
    package var answerTimeout: Duration?
    package var durability: PostgresConfiguration.Durability = .asServerSays
    /// Whether each transaction may get another session of the server: then settings are made in each transaction.
    package var isPooled = false
    /// Whether a server that only reads will not do, where there are several hosts and nothing else is said.
    package var writes = true
    /// Whether the server keeps statements that come again, as one that is reached through a pooler cannot.
    package var keepsStatements = true
    /// The log of slow statements; nil for none. It has no values.
    package var slowStatementLog: SlowStatementLog?
    /// Finds the addresses of hosts.
    package var lookup = NameLookup.system

    package init(_ connection: String) {
      self.connection = connection
    }

    // MARK: Of a connection

    /// The parameters for libpq: a later one overrides an earlier one, and the connection string is in the middle.
    ///
    /// - Parameter attempt: What is different from the connection string.
    func parameters(for attempt: [(name: String, value: String)]) -> [(name: String, value: String)] {
      var result = Self.defaults + tls.defaults(besides: connection)
      result.append(("dbname", connection))
      result += tls.demands + [("client_encoding", "UTF8")] + attempt
      if let password { result.append(("password", password)) }
      return result
    }

    private static let defaults: [(name: String, value: String)] = [
      ("fallback_application_name", "OpenSwiftData"),
      // Of two ways to encrypt, the one whose certificates are checked.
      ("gssencmode", "disable"),
      // A machine that has gone, or a cable, is noticed within about a minute, and not after hours.
      ("keepalives_idle", "30"), ("keepalives_interval", "10"), ("keepalives_count", "3"),
      ("tcp_user_timeout", "60000"),
    ]

    /// The settings of each connection; none behind a pooler, where they would stay for other clients. Not as options of the connection,
    /// which poolers refuse.
    var preparation: String {
      guard !isPooled else { return "" }
      return ([Self.withoutCompiling, Self.isolation] + assignments).map { "SET \($0)" }.joined(separator: "; ")
    }

    /// The server compiles statements whose rows look costly, which those of a fetch seldom are: compiling takes 110 ms, and reading
    /// 100,000 rows 15.
    private static let withoutCompiling = "jit = off"

    /// A transaction that is one request does not say it, and a database or a user may have another one.
    private static let isolation = "default_transaction_isolation = 'read committed'"

    /// The settings of each transaction.
    package var transactionPreparation: [String] { isPooled ? assignments.map { "SET LOCAL \($0)" } : [] }

    private var assignments: [String] {
      let timeouts = [("statement_timeout", statementTimeout), ("lock_timeout", lockTimeout)]
      let settings = timeouts.compactMap { name, timeout in timeout.map { "\(name) = \($0.milliseconds)" } }
      return settings + (durability.setting.map { ["synchronous_commit = \($0)"] } ?? [])
    }
  }

  extension Duration {
    /// At least one, since zero means any time.
    var milliseconds: Int64 {
      let (seconds, attoseconds) = components
      return max(1, seconds * 1_000 + attoseconds / 1_000_000_000_000_000)
    }
  }
#endif
