#if PostgreSQL
  import PersistenceQueries
  import PersistenceRuntime
  import PersistenceSupport
  import SQLEngine

  // Deletions that compare rows while they delete them, in the round trip of the commit.

  extension PostgresTransaction: ComparingTransaction {
    /// A deletion that waits for the others of its save.
    struct Deletion {
      let table: TableMapping
      let keys: [Int64]
      let statement: PostgresStatement
    }

    func delete(from entity: EntityLayout, having mask: UInt64, _ body: (EngineStatement) throws -> Void) throws {
      let table = try table(entity)
      let mask = mask & entity.storedMask
      let batch = PostgresBatch(batches.typesOfUpdate(table, mask: mask))
      let notes = OriginalNotes()
      let parameters: PostgresParameters
      do {
        try body(batch.statement(originals: notes) { _ in nil })
        guard batch.rowCount > 0 else { return }
        parameters = try batch.rowCount == 1 ? batch.onlyRow() : batch.parameters()
      } catch {
        throw incomparable(table)
      }
      // What differs from its stored form has a row with an original. A message has its limit.
      guard notes.take().isEmpty, parameters.bytes.count <= Self.mostCompared else { throw incomparable(table) }
      let form = ComparisonForm(
        isDeletion: true, mask: mask, isSingle: batch.rowCount == 1, mayHaveOriginals: table.mayHaveOriginals)
      deletions.append(
        Deletion(
          table: table, keys: batch.integers(ofColumn: table.columns(in: mask).count),
          statement: comparison(form, of: table, parameters, count: batch.rowCount)))
      if watch == nil { try sendDeletions() }
    }

    /// The most bytes of a statement that compares.
    private static let mostCompared = 64 << 20

    /// The error of a save that is run again, and asks then.
    private func incomparable(_ table: TableMapping) -> SwiftDataError {
      let message = "a deleted row of \(table.name) cannot be compared while it is deleted"
      return SwiftDataError(
        .conflictingChanges, "\(message).", underlying: PostgresError(sqlState: nil, message: message).asRace)
    }

    /// Queues the deletions, those of referring rows first. If a row that this context does not know still refers to one of them, the
    /// commit fails, and the save runs again and asks. So nothing else is deleted, or changed, by the rules of references.
    func sendDeletions() throws {
      let waiting = Dictionary(grouping: deletions) { $0.table.name }
      deletions = []
      for name in engine.references.referringFirst(waiting.keys.sorted()) {
        for deletion in waiting[name] ?? [] { try send(deletion) }
      }
    }

    private func send(_ deletion: Deletion) throws {
      let (table, keys) = (deletion.table, deletion.keys)
      if engine.references.lead(to: table) {
        var parameters = PostgresParameters()
        parameters.append(keys: keys)
        // No other transaction can refer to them from here on.
        let lock = engine.texts.text(table, .lockForDeletion) { batches.lockForDeletion(table) }
        try queue(PostgresStatement(lock, parameters))
        for refusal in engine.references.refusals(of: table, engine.texts) {
          try queue(PostgresStatement(refusal, parameters))
        }
      }
      mayBreakReferences = true
      try keepValues(of: [table.name: keys])
      try queue(deletion.statement, numberColumn: 1)
      noteDeletions(keys, from: table, PostgresReferenceWatch())
      // A record names them. Others know them.
      if history.keepsValues { watch?.deleted[table.name, default: []].formUnion(keys) }
    }
  }
#endif
