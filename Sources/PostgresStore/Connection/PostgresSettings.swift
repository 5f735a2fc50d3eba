#if PostgreSQL
  import Foundation
  import PersistenceSupport

  /// The connection parameters, and the timeouts of operations on the connection.
  package struct PostgresSettings: Sendable, Hashable {
    /// A URL (`postgresql://user@host/database`) or a libpq connection string. Missing parts come from libpq's
    /// environment variables, `.pgpass` and service files.
    package var connection: String
    /// The password, which overrides one in the connection string; nil if the string or the environment contains it.
    package var password: String?
    /// Returns the password for each new connection; nil if the password never changes.
    package var passwordSource: PostgresConfiguration.PasswordSource?
    package var tls: PostgresConfiguration.TLS = .automatic
    /// The timeout of a connection attempt, for all hosts and the look-up of their names together.
    package var connectTimeout: Duration = .seconds(10)
    /// The server's time limit for a statement; nil for none.
    package var statementTimeout: Duration?
    /// The server's time limit for the wait for a lock; nil for none.
    package var lockTimeout: Duration?
    /// How long the client waits for an answer before it closes the connection; nil for no limit.
    package var answerTimeout: Duration?
    package var durability: PostgresConfiguration.Durability = .asServerSays
    /// Whether a pooler may change the server session for each transaction, which then has to send the settings.
    package var isPooled = false
    /// Whether the connection must accept writes, if there are several hosts and no `target_session_attrs`.
    package var writes = true
    /// Whether statements are prepared on the server, which is impossible behind a transaction pooler.
    package var keepsStatements = true
    /// The log of slow statements, without values; nil for none.
    package var slowStatementLog: SlowStatementLog?
    /// Resolves host names.
    package var lookup = NameLookup.system

    package init(_ connection: String) {
      self.connection = connection
    }

    // MARK: Setting up a connection

    /// The parameters for libpq. Later ones override earlier ones. The parameter `dbname` is the connection string.
    ///
    /// - Parameter attempt: The parameters of one connection attempt, which override those of the connection string.
    func parameters(for attempt: [(name: String, value: String)]) -> [(name: String, value: String)] {
      var result = Self.defaults + tls.defaults(besides: connection)
      result.append(("dbname", connection))
      result += tls.demands + [("client_encoding", "UTF8")] + attempt
      if let password { result.append(("password", password)) }
      return result
    }

    private static let defaults: [(name: String, value: String)] = [
      ("fallback_application_name", "OpenSwiftData"),
      // Disables GSSAPI encryption: of the two kinds of encryption, only TLS checks certificates.
      ("gssencmode", "disable"),
      // Detects within about a minute, and not after hours, that the server's machine or the network has failed.
      ("keepalives_idle", "30"), ("keepalives_interval", "10"), ("keepalives_count", "3"),
      ("tcp_user_timeout", "60000"),
    ]

    /// The statements that set up each connection. Empty behind a transaction pooler, whose other clients would get the
    /// settings too. The settings are not sent as libpq's connection options, which poolers reject.
    var preparation: String {
      guard !isPooled else { return "" }
      return ([Self.withoutCompiling, Self.isolation] + assignments).map { "SET \($0)" }.joined(separator: "; ")
    }

    /// The server JIT-compiles statements that it estimates to be expensive. Fetches rarely gain from it: compiling
    /// takes 110 ms, while reading 100,000 rows takes 15 ms.
    private static let withoutCompiling = "jit = off"

    /// Set because a transaction that is sent in one request does not set its isolation level itself, and the database
    /// or the user may have another default.
    private static let isolation = "default_transaction_isolation = 'read committed'"

    /// The statements at the start of each transaction behind a transaction pooler.
    package var transactionPreparation: [String] { isPooled ? assignments.map { "SET LOCAL \($0)" } : [] }

    private var assignments: [String] {
      let timeouts = [("statement_timeout", statementTimeout), ("lock_timeout", lockTimeout)]
      let settings = timeouts.compactMap { name, timeout in timeout.map { "\(name) = \($0.milliseconds)" } }
      return settings + (durability.setting.map { ["synchronous_commit = \($0)"] } ?? [])
    }
  }

  extension Duration {
    /// The duration in milliseconds, but at least one: PostgreSQL interprets zero as no limit.
    var milliseconds: Int64 {
      let (seconds, attoseconds) = components
      return max(1, seconds * 1_000 + attoseconds / 1_000_000_000_000_000)
    }
  }
#endif
