#if PostgreSQL
  import PersistenceRuntime
  import PersistenceSupport
  import SQLEngine

  // How a transaction ends: with a commit, a rollback, or an unknown outcome that is then determined.

  extension PostgresTransaction {
    func prepareCommit() throws {
      do {
        _ = try usable()
        try run("SET CONSTRAINTS ALL IMMEDIATE")
      } catch {
        rollBack()
        throw error
      }
    }

    func commit() throws {
      if engine.isMigrating { return try commitNested() }
      let session: PostgresSession
      let ending: Ending
      do {
        session = try usable()
        ending = try makeEnding()
      } catch {
        rollBack()
        throw error
      }
      let (results, error) = run(ending)
      if hasMissed {
        // The only statement found no row, so nothing was written, even if the connection was lost.
        rollBack()
        throw race("a changed row is not as it was read")
      }
      guard let error else {
        historyDidCommit(session)
        if tellsNews { engine.news?.didCommit() }
        if seesOwnWrites { engine.readers?.note(PostgresPosition(results.last?.text(0, 0))) }
        return end()
      }
      // If the server answers with an error, nothing was committed. The outcome is unknown if there is no answer, or if
      // the error says that the server closes the connection.
      let isEnd = ((error as? SwiftDataError)?.underlyingError as? PostgresError)?.sqlState?.hasPrefix("57P") == true
      guard session.connection.isAlive, !isEnd else { return try findOut(session.connection, after: error) }
      // Another statement may have failed before the COMMIT.
      rollBack()
      throw error
    }

    /// The last statements of the transaction.
    private struct Ending {
      var statements: [PostgresStatement]
      /// The index of the statement that returns the transaction ID; nil if an earlier one has returned it.
      var number: Int?
    }

    private func makeEnding() throws -> Ending {
      var ending = Ending(statements: try leavingNews())
      if number == nil, !readsNumber {
        ending.number = 0
        // The statement that writes the change notification, if any, also returns the transaction ID.
        if ending.statements.isEmpty { ending.statements.append(Self.numberStatement) }
      }
      guard !isOneRequest(with: ending) else {
        opening = []
        mergeSingleRow(&ending.statements)
        return ending
      }
      ending.statements.append(Self.commitment)
      // Reads the log position after the commit. A standby must have reached it before it answers later reads.
      if seesOwnWrites {
        ending.statements.append(PostgresStatement("SELECT \(PostgresConnection.positionExpression)"))
      }
      return ending
    }

    /// Whether the whole transaction is one pipeline. The server commits a pipeline at its end, so BEGIN and COMMIT are
    /// omitted: a save of one row needs one statement instead of four.
    ///
    /// False if foreign keys must be checked, since only COMMIT reports a violation. False behind a pooler of
    /// transactions: only BEGIN sets the isolation level there, and other settings.
    private func isOneRequest(with ending: Ending) -> Bool {
      !opening.isEmpty && prelude.first?.readsNumber == true && !needsBeginning && !mayBreakReferences && !seesOwnWrites
        && !engine.isPooled && prelude.count + ending.statements.count <= Self.longestPipeline
    }

    /// If the save changes one row, merges the statements that write the row, its notification and its record. One
    /// statement then takes less time than several, of the client and of the server.
    ///
    /// An empty result shows that the row is missing or changed, and that nothing was written. Separate statements
    /// instead count their rows and fail on the server if one is missing.
    ///
    /// - Parameter news: The statement that writes the notification. It is removed if it is merged.
    private func mergeSingleRow(_ news: inout [PostgresStatement]) {
      let record = prelude.count == 2 ? prelude[1] : nil
      guard let row = prelude.first, let text = row.textAlone, prelude.count == 1 || record?.didAppend != nil,
        news.count <= 1
      else { return }
      var additions: SingleRowAdditions = []
      var parameters = row.statement.parameters
      if let news = news.first {
        additions.insert(.news)
        parameters.append(contentsOf: news.parameters)
      }
      if let record {
        additions.insert(.record)
        parameters.append(contentsOf: record.statement.parameters)
      }
      news = []
      var single = Queued(statement: PostgresStatement(text(additions), parameters), readsNumber: true)
      single.didRun = { [self] result in
        hasMissed = result.rowCount == 0
        if !hasMissed { record?.didAppend?(result, SingleRowAdditions.numberColumn) }
      }
      prelude = [single]
    }

    private func run(_ ending: Ending) -> (results: [PostgresResult], error: (any Error)?) {
      do {
        let (results, error) = try pipeline(ending.statements, early: ending.number)
        if let index = ending.number, results.indices.contains(index) { number = results[index].text(0, 0) }
        return (results, error)
      } catch {
        return ([], error)
      }
    }

    private var seesOwnWrites: Bool { engine.readers?.seesOwnWrites == true }

    private var tellsNews: Bool { news?.isEmpty == false }

    /// The statement that writes the change notification; none if there is nothing to notify.
    private func leavingNews() throws -> [PostgresStatement] {
      guard let news, !news.isEmpty, let feed = engine.news else { return [] }
      return [try feed.table.insertion(news.text, origin: feed.origin, save: save)]
    }

    /// Determines whether a commit that was not acknowledged has succeeded.
    ///
    /// - Throws: An error if nothing was saved, and `UnknownOutcome` if that cannot be determined.
    private func findOut(_ connection: PostgresConnection, after error: any Error) throws {
      let table = tellsNews ? engine.news?.table : nil
      let witness = try? table?.find(number, save: save)
      let entry = engine.noteUncertain(
        UncertainCommit(
          transaction: number, run: connection.serverRun,
          process: engine.isPooled ? nil : connection.process, loss: .now, witness: witness))
      connection.close()
      // The next transaction waits until this one has ended on the server.
      end()
      switch engine.outcome(of: entry) {
      case .committed: if tellsNews { engine.news?.didCommit() }
      case .undone: throw lost(by: error)
      case .running, .unknown, nil: throw UnknownOutcome.error(location: engine.location, cause: error)
      }
    }

    /// Ends a transaction inside the transaction of a migration. Like a commit, checks the foreign keys.
    private func commitNested() throws {
      let ending = [
        "SET CONSTRAINTS ALL IMMEDIATE", "SET CONSTRAINTS ALL DEFERRED", "RELEASE SAVEPOINT \(Self.nestedName)",
      ]
      do {
        try run(ending.map { PostgresStatement($0) })
      } catch {
        rollBack()
        throw error
      }
      end()
    }

    func rollBack() {
      guard let owned else { return }
      if engine.isMigrating { return rollBackNested(owned.connection) }
      (opening, prelude) = ([], [])
      if owned.connection.isOpen, owned.connection.transactionStatus != .idle {
        try? owned.connection.execute("ROLLBACK")
      }
      end()
    }

    private func rollBackNested(_ connection: PostgresConnection) {
      // If no statement was sent, there is nothing to roll back.
      if opening.isEmpty, connection.isOpen, connection.transactionStatus != .idle {
        try? connection.execute("ROLLBACK TO SAVEPOINT \(Self.nestedName); RELEASE SAVEPOINT \(Self.nestedName)")
      }
      end()
    }

    func end() {
      guard let session = owned else { return }
      owned = nil
      (opening, prelude) = ([], [])
      engine.transactionDidEnd(ObjectIdentifier(self), session)
    }
  }
#endif
