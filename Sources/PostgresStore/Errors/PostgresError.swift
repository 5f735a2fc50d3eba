#if PostgreSQL
  import Foundation
  import PersistenceSupport

  extension SwiftDataError {
    /// An error that PostgreSQL reported. It is the underlying error of a `SwiftDataError` of the store.
    ///
    /// Originates with OpenSwiftData. Any thread may use it.
    public struct PostgresError: Error, Sendable, Hashable, CustomStringConvertible {
      /// The five-character error code that PostgreSQL documents, such as `23505`; nil if no server answered.
      public let sqlState: String?
      /// PostgreSQL's message.
      public let message: String
      /// PostgreSQL's detail message, if any.
      public let detail: String?
      /// PostgreSQL's hint.
      public let hint: String?
      /// The name of the violated constraint, if any.
      public let constraint: String?
      /// The statement that failed, if a statement failed.
      public let sql: String?
      /// Whether a concurrent transaction may have caused the error.
      var isRace = false
      /// Whether the connection was lost before the transaction was committed, so that nothing was saved.
      var isLoss = false

      package init(
        sqlState: String?, message: String, detail: String? = nil, hint: String? = nil, constraint: String? = nil,
        sql: String? = nil
      ) {
        self.sqlState = sqlState
        self.message = message
        self.detail = detail
        self.hint = hint
        self.constraint = constraint
        self.sql = sql
      }

      public var description: String {
        let parts = [sqlState.map { "PostgreSQL error \($0)" } ?? "PostgreSQL", message]
        let rest = [detail, hint].compactMap { $0 }.map { " \($0)" }.joined()
        return parts.joined(separator: ": ") + rest + (sql.map { " in: \($0)" } ?? "")
      }
    }
  }

  package typealias PostgresError = SwiftDataError.PostgresError

  extension PostgresError {
    /// Whether repeating the transaction may succeed: a concurrent transaction or a lost connection caused the error.
    package var isRetryable: Bool {
      sqlState == "40001" || sqlState == "40P01" || isRace || isLoss || isOfPreparation
    }

    /// Whether a prepared statement is missing on the server, or was planned before its tables changed.
    var isOfPreparation: Bool { sqlState == "26000" || sqlState == "0A000" && message.contains("cached plan") }

    /// The same error, marked as that of a transaction whose connection was lost, so that the save is repeated.
    var asLoss: PostgresError {
      var error = self
      error.isLoss = true
      return error
    }

    /// The same error, marked as possibly caused by a concurrent transaction, so that the save is repeated.
    var asRace: PostgresError {
      var error = self
      error.isRace = true
      return error
    }

    /// Whether a table or schema that the statement names is missing.
    var isMissing: Bool { sqlState == "42P01" || sqlState == "3F000" }

    /// Whether the server has rejected the password.
    var isPassword: Bool { sqlState == "28P01" || sqlState == "28000" }

    /// Whether the server has no connection left.
    var isTooMany: Bool { sqlState == "53300" }

    /// Whether a row violates a rule: another row has its unique values, it references a missing row, or its values
    /// differ from the expected ones (the statement then divides by zero).
    var isRuleOfRows: Bool { ["23505", "23503", "22012"].contains(sqlState) }

    /// Whether two rows would have the same unique values.
    package var isUniqueness: Bool { sqlState == "23505" }

    /// The error of the store for this error of PostgreSQL.
    ///
    /// - Parameter location: The name of the store in the message, without a password.
    package func storeError(_ location: String) -> SwiftDataError {
      let (kind, text) = kindAndText
      return SwiftDataError(kind, text.replacing("%", with: "the store at \(location)"), underlying: self)
    }

    private var kindAndText: (SwiftDataError.Kind, String) {
      guard let sqlState else {
        let isUnsafe = ["certificate", "SSL was required", "does not support SSL"].contains { message.contains($0) }
        if isUnsafe { return (.storeUnreachable, Self.untrusted(message)) }
        return (
          .storeUnreachable, "There is no connection to %: \(message). Check that the server runs, and try again."
        )
      }
      return Self.kinds[sqlState] ?? Self.classes[String(sqlState.prefix(2))] ?? other(sqlState)
    }

    private func other(_ sqlState: String) -> (SwiftDataError.Kind, String) {
      switch sqlState {
      case "23505":
        (
          .modelValidationFailure,
          "Another model in % has the same values, which must be unique (\(words)). "
            + "Change one of the two, or fetch the existing model and update it."
        )
      case "23502":
        (.modelValidationFailure, "\(message) in %. Set it before saving, or make the property optional.")
      case "23503":
        (
          .modelValidationFailure,
          "A model refers to one that is not in % (\(words)). "
            + "Insert the other model too, or delete or change what refers to it before deleting it."
        )
      case _ where sqlState.hasPrefix("23"): (.modelValidationFailure, "A rule of % is broken: \(message).")
      case _ where sqlState.hasPrefix("28"), "3D000":
        (.storeUnreachable, "The server refuses to open %: \(message). Check user, password and database.")
      case "42P01", "42703", "42P10", "42804", "42883":
        (
          .storeFailure,
          "% is not as this version of the program made it: \(message). Restore what was changed by hand."
        )
      case "54000":
        (
          .valueNotStorable,
          "A value is too large for an index of %, which takes about 2,700 bytes (\(message)). Shorten it, or leave its attribute out of "
            + "indexes and unique rules."
        )
      case _ where sqlState.hasPrefix("22"): (.valueNotStorable, "% cannot hold a value: \(message).")
      default: (.storeFailure, "% failed: \(message).")
      }
    }

    private static func untrusted(_ message: String) -> String {
      "The connection to % is not safe: \(message). Give the configuration the certificate of the server's authority "
        + "(tls), or have the server encrypt its connections."
    }

    private var words: String { detail ?? message }

    private static let unreachable = "The server of % ended the connection. Try again when it is there."

    private static let kinds: [String: (SwiftDataError.Kind, String)] = [
      "25006": (.storeReadOnly, "% is on a server that only reads. Connect to the one that writes."),
      "40001": (.storeBusy, "Concurrent changes of % were in the way. Try again."),
      "40P01": (.storeBusy, "Concurrent changes of % waited for each other. Try again."),
      "42501": (.storeReadOnly, "The user of % may not do this. Grant the right, or open the store without saving."),
      "53100": (
        .storeFull,
        "There is no room left for %: the server's disk is full. Nothing was saved. Make room and save again."
      ),
      "53300": (.storeBusy, "The server of % has no connection left. Try again, or raise max_connections."),
      "55P03": (.storeBusy, "Another transaction holds a lock on rows of %. Try again, or raise the lock time-out."),
      "57014": (.storeBusy, "A statement on % took longer than the statement time-out allows."),
      "57P01": (.storeUnreachable, unreachable), "57P02": (.storeUnreachable, unreachable),
      "57P03": (.storeUnreachable, unreachable), "57P05": (.storeUnreachable, unreachable),
    ]

    private static let classes: [String: (SwiftDataError.Kind, String)] = [
      "08": (.storeUnreachable, unreachable),
      "XX": (.storeCorrupt, "The server of % met damaged data or a fault of its own. Look into its log."),
    ]
  }
#endif
