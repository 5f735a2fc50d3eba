#if PostgreSQL
  import Foundation
  import PersistenceSupport
  import PostgresSQL

  /// A commit whose answer was lost.
  struct UncertainCommit: Sendable {
    /// What has become of it.
    enum Outcome {
      case committed
      /// Nothing of it is in the store, and nothing will be.
      case undone
      case running
      /// It has ended, and the server does not know how.
      case unknown
    }

    /// The number of the transaction; nil where it had not been told yet.
    let transaction: String?
    /// The run of the server (``PostgresConnection/run``).
    let run: String?
    /// The process of the server that had it; nil where each transaction may have another one, and where the server has not said.
    let process: Int64?
    let loss: ContinuousClock.Instant
    /// Whether it has left news, which it alone can have left.
    let witness: PostgresStatement?
  }

  extension PostgresSession {
    /// What has become of a commit.
    ///
    /// The number of a transaction says it, also after a reconnection. After a crash or a failover the same number may be given
    /// again, to another transaction, if nothing of the first one had reached the disk: then only what it has left says that it
    /// was committed.
    func outcome(of commit: UncertainCommit) throws -> UncertainCommit.Outcome {
      guard let transaction = commit.transaction else { return try outcomeByProcess(of: commit) }
      var parameters = PostgresParameters()
      try parameters.append(transaction)
      let status: String?
      do {
        status = try connection.run(PostgresStatement("SELECT pg_xact_status($1::text::xid8)", parameters)).text(0, 0)
      } catch let error as SwiftDataError where (error.underlyingError as? PostgresError)?.sqlState == "22023" {
        // A number that the server has not given yet: it knows nothing of the transaction.
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
      // Nothing of the time before a crash runs on after it.
      case "in progress": return isSameRun ? .running : .undone
      case "aborted": return .undone
      default: return .unknown
      }
    }

    /// Commits a change of nothing. When its answer is there, what was committed before is as safe as this: where a commit waited for a
    /// standby when its session ended, the server has it, and the standby may not.
    private func makeDurable() throws {
      let metadata = dialect.table(PostgresMetadata.table)
      try connection.execute("UPDATE \(metadata) SET \"value\" = \"value\" WHERE \"key\" = 'writer'")
    }

    /// Whether a commit has left its news; nil where it would have left none, or where they may be removed by now.
    private func hasWitness(of commit: UncertainCommit) throws -> Bool? {
      guard let witness = commit.witness, commit.loss.duration(to: .now) < PostgresNewsTable.patience else {
        return nil
      }
      return try connection.run(witness).rowCount > 0
    }

    /// What has become of a commit whose number had not come either: when its process has ended, it has left news or not.
    private func outcomeByProcess(of commit: UncertainCommit) throws -> UncertainCommit.Outcome {
      // Once its news may be removed, nothing is learned by waiting, and a process that never ends would keep the next saves waiting.
      guard let process = commit.process, commit.loss.duration(to: .now) < PostgresNewsTable.patience else {
        return .unknown
      }
      // In this order: what was committed before the process was looked at has left its news before, too.
      let mayRun = try mayRun(process, since: commit)
      let hasWitness = try hasWitness(of: commit)
      guard hasWitness == true else {
        if mayRun { return .running }
        return hasWitness == nil ? .unknown : .undone
      }
      try makeDurable()
      return .committed
    }

    /// Whether the process that had the commit may still work on it.
    private func mayRun(_ process: Int64, since commit: UncertainCommit) throws -> Bool {
      var parameters = PostgresParameters()
      parameters.append(process)
      // Another session may have the number by now, but it began later.
      parameters.append(commit.loss.duration(to: .now).milliseconds)
      return try connection.run(PostgresStatement(Self.processStatement, parameters)).integer(0, 0) != 0
    }

    /// A pooler of sessions keeps processes, for the next program or for this session. What the former program had sent is done with by
    /// then: the pooler has emptied the session (DISCARD ALL, which the store never sends), or this connection has it.
    private static let processStatement = """
      SELECT count(*) FROM pg_catalog.pg_stat_activity WHERE pid = $1::int8 \
      AND backend_start < clock_timestamp() - $2::int8 * interval '1 millisecond' \
      AND pid <> pg_backend_pid() AND (state IS DISTINCT FROM 'idle' OR query NOT ILIKE 'discard all%')
      """
  }

  /// The commits of a store whose answers were lost, until it is known what has become of them. Thread-safe.
  final class UncertainCommits: Sendable {
    private let waiting = Lock<[ObjectIdentifier: Entry]>([:])

    /// A commit, as long as it waits.
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

    /// Finds out what has become of a commit, and waits for its end and for the server.
    ///
    /// - Returns: The outcome; nil if the time is over before the server says anything.
    func outcome(
      of entry: Entry, until deadline: ContinuousClock.Instant, in pool: PostgresPool
    ) -> UncertainCommit.Outcome? {
      while true {
        // An error is that of a connection: the server may be away for a while, or another one may take over. A network that says nothing
        // any more may take no longer than the time.
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

    /// Waits until all of them have ended: what follows sees what has become of them.
    ///
    /// - Throws: `SwiftDataError.storeBusy` after the time, or the error of the session.
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
