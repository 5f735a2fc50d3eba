#if PostgreSQL
  import Foundation
  import PersistenceSupport
  import PostgresSQL

  /// A commit whose connection was lost before the server acknowledged it.
  struct UncertainCommit: Sendable {
    /// Whether a commit succeeded, as far as the server knows.
    enum Outcome {
      case committed
      /// The transaction was rolled back, or will be: the store gets none of its changes.
      case undone
      case running
      /// The transaction has ended, but the server no longer knows whether it was committed.
      case unknown
    }

    /// The transaction ID; nil if it was not received.
    let transaction: String?
    /// The server run (``PostgresConnection/serverRun``) of the transaction.
    let run: String?
    /// The ID of the server's process that ran the transaction; nil behind a transaction pooler, or if it is unknown.
    let process: Int64?
    let loss: ContinuousClock.Instant
    /// Selects the change notification that only this transaction can have written; nil if it wrote none.
    let witness: PostgresStatement?
  }

  extension PostgresSession {
    /// Determines whether a commit succeeded.
    ///
    /// The server is asked for the status of the transaction ID, over any connection. After a crash or a failover,
    /// another transaction may get the same ID, if nothing of this transaction had reached the disk. Then only the
    /// change notification of this transaction proves that it was committed.
    func outcome(of commit: UncertainCommit) throws -> UncertainCommit.Outcome {
      guard let transaction = commit.transaction else { return try outcomeByProcess(of: commit) }
      var parameters = PostgresParameters()
      try parameters.append(transaction)
      let status: String?
      do {
        status = try connection.run(PostgresStatement("SELECT pg_xact_status($1::text::xid8)", parameters)).text(0, 0)
      } catch let error as SwiftDataError where (error.underlyingError as? PostgresError)?.sqlState == "22023" {
        // The server has not assigned this ID yet, so it does not have the transaction.
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
      // A transaction that ran before a crash no longer runs after it, so another one has the ID.
      case "in progress": return isSameRun ? .running : .undone
      case "aborted": return .undone
      default: return .unknown
      }
    }

    /// Commits an empty change. When the server acknowledges it, all earlier commits are equally durable. This is
    /// needed if a session ended while its commit waited for a standby: the standby may not have the commit.
    private func makeDurable() throws {
      let metadata = dialect.table(PostgresMetadata.table)
      try connection.execute("UPDATE \(metadata) SET \"value\" = \"value\" WHERE \"key\" = 'writer'")
    }

    /// Whether the store has the commit's change notification; nil if none was written, or if it may be removed by now.
    private func hasWitness(of commit: UncertainCommit) throws -> Bool? {
      guard let witness = commit.witness, commit.loss.duration(to: .now) < PostgresNewsTable.patience else {
        return nil
      }
      return try connection.run(witness).rowCount > 0
    }

    /// Determines whether a commit without a known transaction ID succeeded. If so, its change notification is in the
    /// table as soon as the server's process no longer works on the commit.
    private func outcomeByProcess(of commit: UncertainCommit) throws -> UncertainCommit.Outcome {
      // After this time the notification may have been removed, so that waiting is useless and would only block saves.
      guard let process = commit.process, commit.loss.duration(to: .now) < PostgresNewsTable.patience else {
        return .unknown
      }
      // The process must be checked first: if it has ended, the notification is visible to the second query.
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
      // A process that started after the connection was lost did not run the commit: it has reused the process ID.
      parameters.append(commit.loss.duration(to: .now).milliseconds)
      return try connection.run(PostgresStatement(Self.processStatement, parameters)).integer(0, 0) != 0
    }

    /// Finds the process if it may still be working on the commit. A session pooler may use it for another client. The
    /// commit has ended if this connection uses the process, or if the last statement of the process was `DISCARD ALL`:
    /// poolers reset a session with this statement, and the store never sends it.
    private static let processStatement = """
      SELECT count(*) FROM pg_catalog.pg_stat_activity WHERE pid = $1::int8 \
      AND backend_start < clock_timestamp() - $2::int8 * interval '1 millisecond' \
      AND pid <> pg_backend_pid() AND (state IS DISTINCT FROM 'idle' OR query NOT ILIKE 'discard all%')
      """
  }

  /// The unacknowledged commits of a store whose outcome is still unknown. Thread-safe.
  final class UncertainCommits: Sendable {
    private let waiting = Lock<[ObjectIdentifier: Entry]>([:])

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

    func remove(_ entry: Entry) {
      waiting.withLock { $0[ObjectIdentifier(entry)] = nil }
      ReadAhead.noteEndOfTransaction()
    }

    /// Determines whether a commit succeeded. Waits until its transaction has ended and the server is available.
    ///
    /// - Returns: The outcome; nil if the server does not answer before the deadline.
    func outcome(
      of entry: Entry, until deadline: ContinuousClock.Instant, in pool: PostgresPool
    ) -> UncertainCommit.Outcome? {
      while true {
        // An error is a connection error: the server may be unavailable for a while, or a failover may be in progress.
        // The deadline also limits the wait for an answer, since none arrives after a network failure.
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

    /// Waits until the transactions of all these commits have ended, so that the session then sees their changes.
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
