#if PostgreSQL
  import Foundation
  import PersistenceSupport

  /// The connection parameters, and the timeouts of operations on the connection.
  package struct PostgresSettings: Sendable, Hashable {
    /// A URL (`postgresql://user@host/database`) or a libpq connection string. Missing parts come from libpq's
    /// environment variables, `.pgpass` and service files.
    package var connection: String
    /// The password, if the connection string has none or an outdated one.
    package var password: String?
    /// Provides the password of each new connection; nil if it does not change.
    package var passwordSource: PostgresConfiguration.PasswordSource?
    package var tls: PostgresConfiguration.TLS = .automatic
    /// The timeout for connecting, including all hosts and the look-up of their names.
    package var connectTimeout: Duration = .seconds(10)
    /// The server's time limit for a statement; nil for none.
    package var statementTimeout: Duration?
    /// The server's time limit for waiting for a lock; nil for none.
    package var lockTimeout: Duration?
    /// The timeout for an answer, after which the connection is closed; nil for none.
    package var answerTimeout: Duration?
    package var durability: PostgresConfiguration.Durability = .asServerSays
    /// Whether each transaction may get another session of the server. Settings are then made in each transaction.
    package var isPooled = false
    /// Whether, with several hosts and no explicit choice, a read-only server is not acceptable.
    package var writes = true
    /// Whether the server keeps prepared statements; through a pooler it cannot.
    package var keepsStatements = true
    /// The log of slow statements, without values; nil for none.
    package var slowStatementLog: SlowStatementLog?
    /// Resolves host names.
    package var lookup = NameLookup.system

    package init(_ connection: String) {
      self.connection = connection
    }

    // MARK: Of a connection

    /// The parameters for libpq: later ones override earlier ones, and the connection string is in the middle.
    ///
    /// - Parameter attempt: The differences from the connection string.
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
      // A vanished machine or a cut cable is detected within about a minute instead of hours.
      ("keepalives_idle", "30"), ("keepalives_interval", "10"), ("keepalives_count", "3"),
      ("tcp_user_timeout", "60000"),
    ]

    /// The settings of each connection; none behind a pooler, where they would persist for other clients. Not sent as
    /// connection options, which poolers reject.
    var preparation: String {
      guard !isPooled else { return "" }
      return ([Self.withoutCompiling, Self.isolation] + assignments).map { "SET \($0)" }.joined(separator: "; ")
    }

    /// The server JIT-compiles statements with costly estimates, which fetches seldom justify: compiling takes 110 ms,
    /// and reading 100,000 rows 15.
    private static let withoutCompiling = "jit = off"

    /// A single-request transaction does not set its isolation, and the database or user may have another default.
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
    /// The duration in milliseconds, at least one: zero would mean no limit.
    var milliseconds: Int64 {
      let (seconds, attoseconds) = components
      return max(1, seconds * 1_000 + attoseconds / 1_000_000_000_000_000)
    }
  }
#endif
