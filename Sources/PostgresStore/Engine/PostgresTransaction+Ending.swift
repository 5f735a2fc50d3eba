#if PostgreSQL
  import PersistenceRuntime
  import PersistenceSupport
  import SQLEngine

  // The end of a transaction: committed, rolled back, or with an outcome to be determined.

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
        // Nothing was written, regardless of the present state of the connection.
        rollBack()
        throw race("a changed row is not as it was read")
      }
      guard let error else {
        historyDidCommit(session)
        if tellsNews { engine.news?.didCommit() }
        if seesOwnWrites { engine.readers?.note(PostgresPosition(results.last?.text(0, 0))) }
        return end()
      }
      // If the server answers with an error, nothing is committed. Without an answer the outcome is unknown. It is also
      // unknown if the server answers that it ends the connection.
      let isEnd = ((error as? SwiftDataError)?.underlyingError as? PostgresError)?.sqlState?.hasPrefix("57P") == true
      guard session.connection.isAlive, !isEnd else { return try findOut(session.connection, after: error) }
      // A statement before the commit may have failed.
      rollBack()
      throw error
    }

    /// The statements at the end of the transaction.
    private struct Ending {
      var statements: [PostgresStatement]
      /// The index of the statement that reads the transaction ID, if no earlier pipeline has.
      var number: Int?
    }

    private func makeEnding() throws -> Ending {
      var ending = Ending(statements: try leavingNews())
      if number == nil, !readsNumber {
        ending.number = 0
        // The change notification returns the transaction ID.
        if ending.statements.isEmpty { ending.statements.append(Self.numberStatement) }
      }
      guard !isOneRequest(with: ending) else {
        opening = []
        if ending.statements.isEmpty { useTextAlone() }
        return ending
      }
      ending.statements.append(Self.commitment)
      // The log position of the commit, for reads from standbys.
      if seesOwnWrites {
        ending.statements.append(PostgresStatement("SELECT \(PostgresConnection.positionExpression)"))
      }
      return ending
    }

    /// Whether the whole transaction is one pipeline, which the server commits by itself at its end. BEGIN and COMMIT
    /// are then unnecessary: a save of one row needs one statement instead of four.
    ///
    /// False if foreign keys must be checked, since without COMMIT no statement fails, and with a pooler's settings.
    private func isOneRequest(with ending: Ending) -> Bool {
      !opening.isEmpty && prelude.first?.readsNumber == true && !needsBeginning && !mayBreakReferences && !seesOwnWrites
        && engine.transactionPreparation.isEmpty && prelude.count + ending.statements.count <= Self.longestPipeline
    }

    /// Lets the only statement of a transaction report a missing row by its result, since it has written nothing then.
    /// Several statements have to count rows and fail on the server, which takes a tenth of the server's time.
    private func useTextAlone() {
      guard prelude.count == 1, let text = prelude[0].textAlone else { return }
      prelude[0].statement = PostgresStatement(text, prelude[0].statement.parameters)
      prelude[0].didRun = { [self] in hasMissed = $0.rowCount == 0 }
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

    /// The statement that writes the change notification for other processes.
    private func leavingNews() throws -> [PostgresStatement] {
      guard let news, !news.isEmpty, let feed = engine.news else { return [] }
      return [try feed.table.insertion(news.text, origin: feed.origin, save: save)]
    }

    /// Determines whether a commit that was not acknowledged has taken effect.
    ///
    /// - Throws: An error if nothing has been saved, and `UnknownOutcome` if the outcome cannot be determined.
    private func findOut(_ connection: PostgresConnection, after error: any Error) throws {
      let table = tellsNews ? engine.news?.table : nil
      let witness = try? table?.find(number, save: save)
      let entry = engine.noteUncertain(
        UncertainCommit(
          transaction: number, run: connection.serverRun,
          process: engine.transactionPreparation.isEmpty ? connection.process : nil, loss: .now, witness: witness))
      connection.close()
      // From here on, the next transaction waits for the end of this one.
      end()
      switch engine.outcome(of: entry) {
      case .committed: if tellsNews { engine.news?.didCommit() }
      case .undone: throw lost(by: error)
      case .running, .unknown, nil: throw UnknownOutcome.error(location: engine.location, cause: error)
      }
    }

    /// Ends this part of a migration's transaction. It checks foreign keys as a commit would.
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
      // Statements that were not sent need no rollback.
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
