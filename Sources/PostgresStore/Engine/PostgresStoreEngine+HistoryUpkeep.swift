#if PostgreSQL
  import PersistenceHistory
  import PersistenceSupport

  // Records over the limits are deleted after a save, in another transaction. A failure does not affect the save.

  extension PostgresStoreEngine {
    /// Returns true if it is time to check the age of the oldest record. Only the first thread that asks gets true.
    func takeTurnToLookAtAge() -> Bool {
      guard let limits = historyLimits, limits.age != nil else { return false }
      return historyState.withLock { state in
        let now = ContinuousClock.now
        if let next = state.nextLook, now < next { return false }
        state.nextLook = now + limits.pause
        return true
      }
    }

    /// Records that all saves with numbers up to `place` have ended, so that the history up to it is complete.
    func noteHistory(completeThrough place: Int64) {
      historyState.withLock { $0.place = max($0.place, place) }
    }

    var historyProgress: HistoryProgress { historyState.withLock { $0 } }

    /// Called after a commit with a history record. Deletes old records if it is time to check the limits.
    func didAppend(_ additions: PostgresHistoryAdditions, number: Int64, _ session: PostgresSession) {
      let limits = historyLimits
      let wantsLook = historyState.withLock { state in
        state.place = max(state.place, additions.place)
        if additions.mustAsk {
          state.looks = HistoryProgress.looksBesideOthers
        } else if additions.hasLooked, additions.place >= number {
          state.looks = max(0, state.looks - 1)
        }
        state.bytes += additions.bytes
        guard additions.isFirstTooOld || limits?.wantsLook(after: number, bytes: state.bytes) == true else {
          return false
        }
        state.bytes = 0
        return true
      }
      guard wantsLook, let limits else { return }
      // An error is ignored: the next check deletes what this one did not.
      try? session.deleteExcess(of: historyStatements, limits)
    }
  }

  extension PostgresSession {
    /// Deletes the oldest records that exceed the limits.
    func deleteExcess(of statements: PostgresHistoryStatements, _ limits: HistoryLimits) throws {
      let place = try statements.place(on: connection).complete
      var total = PostgresParameters()
      total.append(place)
      total.append(HistoryLimits.overhead)
      var excess = PostgresParameters()
      excess.append(place)
      if let age = limits.age { excess.append(age) } else { excess.appendNull(.float8) }
      if let bytes = limits.bytes { excess.append(bytes) } else { excess.appendNull(.int8) }
      let results = try connection.run([
        // If another transaction has locked history records, this waits only briefly for it, and then fails.
        PostgresStatement("BEGIN"), PostgresStatement("SET LOCAL lock_timeout = '100ms'"),
        PostgresStatement(statements.table.setTotal(tombstones: statements.tombstones.table), total),
        PostgresStatement(statements.table.excess, excess),
      ])
      do {
        if let last = results.last?.integer(0, 0) { try delete(through: last, statements) }
        try connection.execute("COMMIT")
      } catch {
        if connection.isOpen { try? connection.execute("ROLLBACK") }
        throw error
      }
    }

    private func delete(through number: Int64, _ statements: PostgresHistoryStatements) throws {
      var parameters = PostgresParameters()
      parameters.append(number)
      try connection.run(
        ([statements.tombstones.deleteThrough] + statements.table.deleteThrough).map {
          PostgresStatement($0, parameters)
        })
    }
  }
#endif
