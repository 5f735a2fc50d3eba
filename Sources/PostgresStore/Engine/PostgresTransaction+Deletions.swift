#if PostgreSQL
  import PersistenceQueries
  import PersistenceRuntime
  import PersistenceSupport
  import SQLEngine

  // Deletes rows only if they are unchanged: compares transaction IDs, or values in the round trip of the commit.

  extension PostgresTransaction: ComparingTransaction {
    /// A deletion that is sent together with the other deletions of its save.
    struct Deletion {
      let table: TableMapping
      var mask: UInt64 = 0
      let keys: [Int64]
      /// A transaction ID from before the context's reads (``PostgresHorizon``); nil if all rows are compared by value.
      var age: (start: PostgresReadStart, horizon: PostgresHorizon)?
      /// The statement that compares and deletes all rows; nil with `age`, since the remaining rows are counted first.
      var comparison: PostgresStatement?
      var body: (EngineStatement) throws -> Void = { _ in }
    }

    func deleteRows(
      of entity: EntityLayout, referringAt position: Int, to owners: [Int64], expecting keys: [Int64]?
    ) throws -> [Int64] {
      let table = try table(entity)
      guard !owners.isEmpty, let column = table.columns(of: position).first, let target = column.reference?.table,
        let owner = engine.database.tables.first(where: { $0.name == target && !$0.isShared })
      else { return [] }
      try lockForDeletion(owners, of: owner)
      let earlier = deletions.filter { $0.table.name == table.name }
      deletions.removeAll { $0.table.name == table.name }
      for deletion in earlier { try send(deletion) }
      mayBreakReferences = true
      if let keys { try keepValues(of: [table.name: keys]) }
      var parameters = PostgresParameters()
      parameters.append(keys: owners)
      let delete = engine.texts.text(table, .deletionOfReferring) {
        batches.delete(from: table, referringBy: column.name)
      }
      let read = engine.texts.text(table, .keysOfReferring) { batches.keyArray(of: table, referringBy: column.name) }
      let statements = [PostgresStatement(read, parameters), PostgresStatement(delete, parameters)]
      let (results, error) = try attempt(statements, planningOnce: false)
      if let error { throw error }
      let deleted = results.first?.integers ?? []
      // Other transactions cannot add references while the owners are locked. So the same number means the same rows.
      guard results.last?.affectedRows == deleted.count, keys == nil || Set(deleted) == keys.map(Set.init) else {
        throw race("the rows of \(table.name) that a deletion cascades to have changed")
      }
      releasedOwners[PostgresReferences.Reference(table: table.name, column: column.name, action: .cascade)] = Set(
        owners)
      noteDeletions(deleted, from: table, PostgresReferenceWatch())
      if history.keepsValues { watch?.deleted[table.name, default: []].formUnion(deleted) }
      return deleted
    }

    /// Locks rows, so that no other transaction can add a reference to them.
    func lockForDeletion(_ keys: [Int64], of table: TableMapping) throws {
      var parameters = PostgresParameters()
      parameters.append(keys: keys)
      let lock = engine.texts.text(table, .lockForDeletion) { batches.lockForDeletion(table) }
      try queue(PostgresStatement(lock, parameters))
    }

    func delete(
      from entity: EntityLayout, having mask: UInt64, keys: [Int64], since start: AnyObject?,
      _ body: @escaping (EngineStatement) throws -> Void
    ) throws {
      guard !keys.isEmpty else { return }
      let (table, mask) = (try table(entity), mask & entity.storedMask)
      let start = keys.count >= Self.leastByAge ? start as? PostgresReadStart : nil
      let age = start.flatMap { start in horizon(of: start).map { (start, $0) } }
      let comparison = age == nil ? try comparison(of: table, mask, body, rest: keys.count) : nil
      deletions.append(
        Deletion(table: table, mask: mask, keys: keys, age: age, comparison: comparison, body: body))
      if watch == nil { try sendDeletions() }
    }

    /// From this number of rows, it is faster to first delete the unchanged rows by their transaction IDs.
    private static let leastByAge = 256
    /// The maximum size of a statement that compares values, in bytes.
    private static let mostCompared = 64 << 20

    /// The context's horizon; nil if there is none, or if the server has restarted or failed over since.
    private func horizon(of start: PostgresReadStart) -> PostgresHorizon? {
      start.horizon.flatMap { $0.run == owned?.connection.serverRun ? $0 : nil }
    }

    /// The statement that compares rows and deletes them.
    ///
    /// - Parameter rest: The number of rows that are still to be deleted.
    private func comparison(
      of table: TableMapping, _ mask: UInt64, _ body: (EngineStatement) throws -> Void, rest: Int
    ) throws -> PostgresStatement {
      let batch = PostgresBatch(batches.typesOfUpdate(table, mask: mask))
      let notes = OriginalNotes()
      let parameters: PostgresParameters
      do {
        try body(batch.statement(originals: notes) { _ in nil })
        parameters = try batch.rowCount == 1 ? batch.onlyRow() : batch.parameters()
      } catch {
        throw incomparable(table)
      }
      // This statement cannot compare values that differ from their stored form (``OriginalNotes``), and PostgreSQL
      // limits a message's size.
      guard batch.rowCount > 0, notes.take().isEmpty, parameters.bytes.count <= Self.mostCompared else {
        throw incomparable(table)
      }
      let form = ComparisonForm(
        isDeletion: true, mask: mask, isSingle: batch.rowCount == 1, mayHaveOriginals: table.mayHaveOriginals)
      return comparison(form, of: table, parameters, count: rest)
    }

    private func incomparable(_ table: TableMapping) -> SwiftDataError {
      race("a deleted row of \(table.name) cannot be compared while it is deleted")
    }

    /// Queues the deletions, those of referencing rows first. If a row that the save does not delete references a
    /// deleted row, the commit fails, and the repeated save checks first. So a foreign key action never changes a row
    /// that the save does not know.
    func sendDeletions() throws {
      let waiting = Dictionary(grouping: deletions) { $0.table.name }
      let names = engine.references.referringFirst(waiting.keys.sorted())
      deletions = []
      // Owners are locked first in every deletion. Otherwise two deletions of an owner and its rows could deadlock.
      for deletion in names.reversed().flatMap({ waiting[$0] ?? [] }) where engine.references.lead(to: deletion.table) {
        try lockForDeletion(deletion.keys, of: deletion.table)
      }
      for deletion in names.flatMap({ waiting[$0] ?? [] }) { try send(deletion) }
    }

    private func send(_ deletion: Deletion) throws {
      let (table, keys) = (deletion.table, deletion.keys)
      if engine.references.lead(to: table) {
        for (reference, text) in engine.references.refusals(of: table, engine.texts) {
          let released = releasedOwners[reference]
          let owners = released.map { released in keys.filter { !released.contains($0) } } ?? keys
          guard !owners.isEmpty else { continue }
          var parameters = PostgresParameters()
          parameters.append(keys: owners)
          try queue(PostgresStatement(text, parameters))
        }
      }
      mayBreakReferences = true
      try keepValues(of: [table.name: keys])
      if case let rest = try deleteOlder(deletion), rest > 0 {
        let statement = try deletion.comparison ?? comparison(of: table, deletion.mask, deletion.body, rest: rest)
        try queue(statement, readsNumber: true)
      }
      noteDeletions(keys, from: table, PostgresReferenceWatch())
      // The history lists all deleted rows. Without history only the caller needs the keys, and it has them.
      if history.keepsValues { watch?.deleted[table.name, default: []].formUnion(keys) }
    }

    /// Deletes the rows that have not changed since the context first read, in a round trip with the queued statements.
    ///
    /// - Returns: The number of rows that are still to be deleted.
    private func deleteOlder(_ deletion: Deletion) throws -> Int {
      let (table, keys) = (deletion.table, deletion.keys)
      guard let (start, horizon) = deletion.age else { return keys.count }
      // Requests no generic plan: a plan for these keys saves more time than the planning takes.
      let (results, error) = try attempt([deletionOfOlder(keys, from: table, horizon)], planningOnce: false)
      if let error { throw error }
      let count = results.last?.affectedRows ?? 0
      // If most rows were changed since the context first read, later deletions of this context only compare values.
      if count < keys.count / 2 { start.note(nil) }
      return keys.count - count
    }

    /// The statement that deletes unchanged rows. Contiguous keys are passed as a range: it takes half the time.
    private func deletionOfOlder(
      _ keys: [Int64], from table: TableMapping, _ horizon: PostgresHorizon
    ) -> PostgresStatement {
      var parameters = PostgresParameters()
      guard let range = Self.range(of: keys) else {
        parameters.append(keys: keys)
        parameters.append(horizon.transaction)
        let text = engine.texts.text(table, .deletionOfOlder) { batches.deleteOlder(from: table) }
        return PostgresStatement(text, parameters)
      }
      for value in [range.lowerBound, horizon.transaction, range.upperBound] { parameters.append(value) }
      let text = engine.texts.text(table, .deletionOfOlderRange) { batches.deleteOlder(from: table, isRange: true) }
      return PostgresStatement(text, parameters)
    }

    /// The keys as a range; nil if a key is missing from the range or occurs twice, because a range would then include
    /// a row that the save does not delete.
    static func range(of keys: [Int64]) -> ClosedRange<Int64>? {
      guard let least = keys.min(), let greatest = keys.max(), least > 0, greatest - least == keys.count - 1 else {
        return nil
      }
      let isAscending = zip(keys, keys.dropFirst()).allSatisfy { $0 &+ 1 == $1 }
      return isAscending || Set(keys).count == keys.count ? least...greatest : nil
    }
  }
#endif
