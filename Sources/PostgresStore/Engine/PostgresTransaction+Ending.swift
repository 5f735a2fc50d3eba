#if PostgreSQL
  import PersistenceRuntime
  import PersistenceSupport
  import SQLEngine

  // How a transaction ends: committed, undone, or with an answer that has to be found out.

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
        // Nothing is written, whatever has become of the connection since.
        rollBack()
        throw race("a changed row is not as it was read")
      }
      guard let error else {
        historyDidCommit(session)
        if tellsNews { engine.news?.didCommit() }
        if seesOwnWrites { engine.readers?.note(PostgresPosition(results.last?.text(0, 0))) }
        return end()
      }
      // An error that the server answers means that nothing is committed. Without an answer the outcome is unknown, and so it is where
      // the server answers that it ends the connection.
      let isEnd = ((error as? SwiftDataError)?.underlyingError as? PostgresError)?.sqlState?.hasPrefix("57P") == true
      guard session.connection.isAlive, !isEnd else { return try findOut(session.connection, after: error) }
      // It may be a statement before the commit that failed.
      rollBack()
      throw error
    }

    /// The statements that end the transaction, or that are all of it.
    private struct Ending {
      var statements: [PostgresStatement]
      /// The one that reads the number of the transaction, where no earlier pipeline has.
      var number: Int?
    }

    private func makeEnding() throws -> Ending {
      var ending = Ending(statements: try leavingNews())
      if number == nil, !readsNumber {
        ending.number = 0
        // News come with it.
        if ending.statements.isEmpty { ending.statements.append(Self.numberStatement) }
      }
      guard !isOneRequest(with: ending) else {
        opening = []
        if ending.statements.isEmpty { useTextAlone() }
        return ending
      }
      ending.statements.append(Self.commitment)
      // Where the commit is in the log, for reads from standbys.
      if seesOwnWrites {
        ending.statements.append(PostgresStatement("SELECT \(PostgresConnection.positionExpression)"))
      }
      return ending
    }

    /// Whether all of the transaction is one pipeline, which the server commits of itself when it has run all of it. Nothing has to say where
    /// it begins and ends then: of a save of one row one statement is left of four.
    ///
    /// References are checked at the end, where a pipeline has no statement that could fail; behind a pooler each transaction is told its settings.
    private func isOneRequest(with ending: Ending) -> Bool {
      !opening.isEmpty && prelude.first?.readsNumber == true && !needsBeginning && !mayBreakReferences && !seesOwnWrites
        && engine.transactionPreparation.isEmpty && prelude.count + ending.statements.count <= Self.longestPipeline
    }

    /// Lets the only statement of a transaction say by its result that a row is missing: it has written nothing then. Counting rows and failing
    /// on the server, for the sake of other statements, takes a tenth of what the server does.
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

    /// The statement that writes the news for other processes.
    private func leavingNews() throws -> [PostgresStatement] {
      guard let news, !news.isEmpty, let feed = engine.news else { return [] }
      return [try feed.table.insertion(news.text, origin: feed.origin, save: save)]
    }

    /// Finds out whether a commit whose answer is lost has come to the store.
    ///
    /// - Throws: An error if nothing has been saved, and `UnknownOutcome` if that cannot be found out.
    private func findOut(_ connection: PostgresConnection, after error: any Error) throws {
      let table = tellsNews ? engine.news?.table : nil
      let witness = try? table?.find(number, save: save)
      let entry = engine.noteUncertain(
        UncertainCommit(
          transaction: number, run: connection.serverRun,
          process: engine.transactionPreparation.isEmpty ? connection.process : nil, loss: .now, witness: witness))
      connection.close()
      // From here on the next transaction waits for the end of this one.
      end()
      switch engine.outcome(of: entry) {
      case .committed: if tellsNews { engine.news?.didCommit() }
      case .undone: throw lost(by: error)
      case .running, .unknown, nil: throw UnknownOutcome.error(location: engine.location, cause: error)
      }
    }

    /// Ends the part of a migration's transaction that this one is. It checks references as the whole one would.
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
      // What has not been sent need not be undone.
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
