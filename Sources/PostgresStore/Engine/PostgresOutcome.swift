#if PostgreSQL
  import Foundation
  import PersistenceSupport
  import PostgresSQL

  /// A commit whose connection was lost before the server acknowledged it.
  struct UncertainCommit: Sendable {
    /// The outcome of a commit.
    enum Outcome {
      case committed
      /// No change of the transaction is in the store, and none will be.
      case undone
      case running
      /// The transaction has ended, and the server does not know its outcome.
      case unknown
    }

    /// The transaction ID; nil if it was not received.
    let transaction: String?
    /// The run of the server (``PostgresConnection/serverRun``).
    let run: String?
    /// The server process of the transaction; nil if each transaction may have another one, or it is unknown.
    let process: Int64?
    let loss: ContinuousClock.Instant
    /// The query for its change notification, which only this transaction can have written; nil if there is none.
    let witness: PostgresStatement?
  }

  extension PostgresSession {
    /// The outcome of a commit.
    ///
    /// The transaction ID determines it, even after a reconnection. After a crash or a failover, the ID may be reused
    /// for another transaction, if nothing of the first one had reached the disk: then only its change notification
    /// shows that it was committed.
    func outcome(of commit: UncertainCommit) throws -> UncertainCommit.Outcome {
      guard let transaction = commit.transaction else { return try outcomeByProcess(of: commit) }
      var parameters = PostgresParameters()
      try parameters.append(transaction)
      let status: String?
      do {
        status = try connection.run(PostgresStatement("SELECT pg_xact_status($1::text::xid8)", parameters)).text(0, 0)
      } catch let error as SwiftDataError where (error.underlyingError as? PostgresError)?.sqlState == "22023" {
        // The transaction ID has not been assigned yet: the server does not know the transaction.
        return .undone
      }
      let isSameRun = commit.run != nil && commit.run == connection.serverRun
      switch status {
      case "committed":
        if !isSameRun {
          guard let hasWitness = try hasWitness(of: commit) else { return .unknown }
          guard hasWitness else { return .undone }
        }
        try makeDurable()
        return .committed
      // No transaction from before a crash is still running after it.
      case "in progress": return isSameRun ? .running : .undone
      case "aborted": return .undone
      default: return .unknown
      }
    }

    /// Commits an empty change. Once the server acknowledges it, earlier commits are equally durable. If the session of
    /// a commit ended while it waited for a standby, the server has the commit, but the standby may not.
    private func makeDurable() throws {
      let metadata = dialect.table(PostgresMetadata.table)
      try connection.execute("UPDATE \(metadata) SET \"value\" = \"value\" WHERE \"key\" = 'writer'")
    }

    /// Whether a commit has written its change notification; nil if it would have none, or it may be removed by now.
    private func hasWitness(of commit: UncertainCommit) throws -> Bool? {
      guard let witness = commit.witness, commit.loss.duration(to: .now) < PostgresNewsTable.patience else {
        return nil
      }
      return try connection.run(witness).rowCount > 0
    }

    /// The outcome of a commit without a known transaction ID: after its process has ended, its notification shows it.
    private func outcomeByProcess(of commit: UncertainCommit) throws -> UncertainCommit.Outcome {
      // After this time the notification may be removed: waiting is useless, and an endless process would block saves.
      guard let process = commit.process, commit.loss.duration(to: .now) < PostgresNewsTable.patience else {
        return .unknown
      }
      // The process is checked first: a commit that has ended by then has also written its notification.
      let mayRun = try mayRun(process, since: commit)
      let hasWitness = try hasWitness(of: commit)
      guard hasWitness == true else {
        if mayRun { return .running }
        return hasWitness == nil ? .unknown : .undone
      }
      try makeDurable()
      return .committed
    }

    /// Whether the process of the commit may still be working on it.
    private func mayRun(_ process: Int64, since commit: UncertainCommit) throws -> Bool {
      var parameters = PostgresParameters()
      parameters.append(process)
      // Another session may have the process number by now, but it began later.
      parameters.append(commit.loss.duration(to: .now).milliseconds)
      return try connection.run(PostgresStatement(Self.processStatement, parameters)).integer(0, 0) != 0
    }

    /// A session pooler may give the process to another client. The commit has ended if this connection has the process
    /// or its last statement was DISCARD ALL: poolers reset sessions by this statement, and the store never sends it.
    private static let processStatement = """
      SELECT count(*) FROM pg_catalog.pg_stat_activity WHERE pid = $1::int8 \
      AND backend_start < clock_timestamp() - $2::int8 * interval '1 millisecond' \
      AND pid <> pg_backend_pid() AND (state IS DISTINCT FROM 'idle' OR query NOT ILIKE 'discard all%')
      """
  }

  /// The unacknowledged commits of a store, until their outcome is known. Thread-safe.
  final class UncertainCommits: Sendable {
    private let waiting = Lock<[ObjectIdentifier: Entry]>([:])

    /// A commit whose outcome is unknown.
    final class Entry: Sendable {
      let commit: UncertainCommit

      init(_ commit: UncertainCommit) {
        self.commit = commit
      }
    }

    func add(_ commit: UncertainCommit) -> Entry {
      let entry = Entry(commit)
      waiting.withLock { $0[ObjectIdentifier(entry)] = entry }
      return entry
    }

    func remove(_ entry: Entry) { waiting.withLock { $0[ObjectIdentifier(entry)] = nil } }

    /// Determines the outcome of a commit; waits for the end of its transaction and for the server.
    ///
    /// - Returns: The outcome; nil if the server does not answer before the deadline.
    func outcome(
      of entry: Entry, until deadline: ContinuousClock.Instant, in pool: PostgresPool
    ) -> UncertainCommit.Outcome? {
      while true {
        // An error is a connection error: the server may be unavailable for a while, or another may take over. The
        // deadline also limits the wait after a network failure.
        let rest = max(.seconds(1), ContinuousClock.now.duration(to: deadline))
        let outcome = try? pool.withSession { session in
          try session.connection.answering(within: rest) { try session.outcome(of: entry.commit) }
        }
        if let outcome, case .running = outcome {
          usleep(20_000)
        } else if let outcome {
          remove(entry)
          return outcome
        } else {
          usleep(100_000)
        }
        guard ContinuousClock.now < deadline else { return nil }
      }
    }

    /// Waits until all these transactions have ended, so that following statements see their outcome.
    ///
    /// - Throws: `SwiftDataError.storeBusy` after the deadline, or the error of the session.
    func waitForEnds(_ session: PostgresSession, until deadline: ContinuousClock.Instant, location: String) throws {
      let entries = waiting.withLock { Array($0.values) }
      for entry in entries {
        while case .running = try session.outcome(of: entry.commit) {
          guard ContinuousClock.now < deadline else {
            throw SwiftDataError(
              .storeBusy,
              "The server of the store at \(location) still works on a commit whose answer was lost. Try again.")
          }
          usleep(20_000)
        }
        remove(entry)
      }
    }
  }
#endif
