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
    /// How long connecting may take, all hosts together. Looking up the name of a host is not included: libpq does not give
    /// up on it.
    package var connectTimeout: Duration = .seconds(10)
    /// How long the server lets a statement run; nil for any time.
    package var statementTimeout: Duration?
    /// How long the server lets a statement wait for a lock; nil for any time.
    package var lockTimeout: Duration?
    /// How long an answer may take, after which the connection is given up; nil for any time.
    package var answerTimeout: Duration?
    /// Whether the server keeps statements that come again, as one that is reached through a pooler cannot.
    package var keepsStatements = true
    /// The log of slow statements; nil for none. It has no values.
    package var slowStatementLog: SlowStatementLog?

    package init(_ connection: String) {
      self.connection = connection
    }

    /// What libpq is told, later entries before earlier ones.
    var parameters: [(name: String, value: String)] {
      var result = [
        ("fallback_application_name", "OpenSwiftData"), ("dbname", connection), ("client_encoding", "UTF8"),
      ]
      if let password { result.append(("password", password)) }
      return result
    }

    /// What the server is told first. Not as options of the connection, which poolers refuse.
    var preparation: String {
      let timeouts = [("statement_timeout", statementTimeout), ("lock_timeout", lockTimeout)]
      let settings = timeouts.compactMap { name, timeout in timeout.map { "SET \(name) = \($0.milliseconds)" } }
      return (settings + ["SET standard_conforming_strings = on"]).joined(separator: "; ")
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
