#if PostgreSQL
  import PersistenceRuntime
  import PersistenceSupport
  import PostgresSQL
  import SQLEngine

  // Inserts and updates of rows. One statement writes many rows.

  extension PostgresTransaction {
    @discardableResult
    func insert(into entity: EntityLayout, _ body: (EngineStatement) throws -> Void) throws -> [RefusedRow] {
      let table = try table(entity)
      let batch = PostgresBatch(batches.typesOfInsertion(table), cipher: engine.cipher)
      guard entity.hasUniqueness, !isWaiting else {
        let hasRows = try PostgresRowSender(batch, into: table, of: self).send(body)
        if hasRows, table.hasReferences { mayBreakReferences = true }
        return []
      }
      let notes = OriginalNotes()
      var hasOriginals = false
      try body(
        batch.statement(originals: notes) { [self] row in
          conflict(of: row, in: batch, batches.insert(into: table, hasOriginals: hasOriginals))
        })
      guard batch.rowCount > 0 else { return [] }
      hasOriginals = try append(notes, to: batch, of: table)
      if table.hasReferences { mayBreakReferences = true }
      let text = engine.texts.text(table, .insertionsOfMissing(hasOriginals: hasOriginals)) {
        batches.insertMissing(into: table, hasOriginals: hasOriginals)
      }
      let result = try run([PostgresStatement(text, try batch.parameters())]).last
      let refused = refusedRows(of: batch.integers(ofColumn: 0), written: result) {
        PostgresBatch.conflictCode(ofRow: $0)
      }
      noteInsertions(batch, into: table, without: refused)
      return refused
    }

    /// Adds the exact values of rows, where they differ from their stored form (``OriginalNotes``), to their batch.
    ///
    /// - Parameters:
    ///   - always: Whether the batch gets the column of the originals even if no row has an original.
    ///   - column: Returns the column to which a parameter of the statement belongs.
    /// - Returns: Whether the batch has the column of the originals.
    private func append(
      _ notes: OriginalNotes, to batch: PostgresBatch, always: Bool = false, column: (Int) -> ColumnMapping?
    ) throws -> Bool {
      let notes = notes.take()
      guard always || !notes.isEmpty else { return false }
      try batch.append(notes, column: column)
      return true
    }

    func append(
      _ notes: OriginalNotes, to batch: PostgresBatch, of table: TableMapping, always: Bool = false
    ) throws -> Bool {
      try append(notes, to: batch, always: always) { table.column($0 - 2) }
    }

    /// Inserts the rows of a batch with one statement, which fails if a row cannot be inserted.
    func insertFew(_ batch: PostgresBatch, _ notes: OriginalNotes, into table: TableMapping) throws {
      let hasOriginals = try append(notes, to: batch, of: table)
      let statement = try insertion(of: batch, into: table, hasOriginals: hasOriginals)
      guard isWaiting, batch.rowCount == 1 else { return try send([statement]) }
      // This statement returns the transaction ID too, so no other statement has to read it.
      try queue(statement, readsNumber: true)
    }

    /// The statement that inserts the rows of a batch. For a single row, its parameters are plain values, not arrays.
    private func insertion(
      of batch: PostgresBatch, into table: TableMapping, hasOriginals: Bool
    ) throws -> PostgresStatement {
      guard batch.rowCount == 1 else {
        let text = engine.texts.text(table, .insertions(hasOriginals: hasOriginals)) {
          batches.insert(into: table, hasOriginals: hasOriginals)
        }
        return PostgresStatement(text, try batch.parameters())
      }
      let text = engine.texts.text(table, .insertion(hasOriginals: hasOriginals)) {
        rows.insert(into: table, hasOriginals: hasOriginals) + " RETURNING pg_current_xact_id_if_assigned()::text, "
          + engine.mark.column(never: "\(batches.key) < 0")
      }
      return PostgresStatement(text, try batch.onlyRow())
    }

    /// The rows of a batch that were not written: the statement has not returned their keys.
    private func refusedRows(
      of keys: [Int64], written result: PostgresResult?, code: (Int) -> Int32
    ) -> [RefusedRow] {
      guard let result, result.rowCount < keys.count else { return [] }
      let written = Set((0..<result.rowCount).compactMap { result.integer($0, 0) })
      return keys.indices.filter { !written.contains(keys[$0]) }.map { RefusedRow(index: $0, code: code($0)) }
    }

    /// Inserts a row again, to get the server's error. A savepoint keeps the transaction usable.
    private func conflict(of row: Int, in batch: PostgresBatch, _ sql: String) -> SwiftDataError? {
      guard let parameters = try? batch.singleRows(), parameters.indices.contains(row) else { return nil }
      let statements = [PostgresStatement("SAVEPOINT osd_row"), PostgresStatement(sql, parameters[row])]
      let error = (try? attempt(statements))?.error
      try? owned?.connection.execute("ROLLBACK TO SAVEPOINT osd_row; RELEASE SAVEPOINT osd_row")
      return error.flatMap { engine.described($0) as? SwiftDataError }
    }

    func upsert(
      into entity: EntityLayout, count: Int, _ body: (Int, EngineStatement) throws -> Void
    ) throws -> [UpsertedRow] {
      let table = try table(entity)
      let sql = rows.upsert(into: table)
      let batch = PostgresBatch(batches.typesOfInsertion(table), cipher: engine.cipher)
      let notes = OriginalNotes()
      let statement = batch.statement(originals: notes) { _ in nil }
      var statements: [PostgresStatement] = []
      for index in 0..<count {
        batch.removeAll()
        notes.begin()
        try body(index, statement)
        let hasOriginals = try append(notes, to: batch, of: table)
        statements.append(
          PostgresStatement(hasOriginals ? rows.upsert(into: table, hasOriginals: true) : sql, try batch.onlyRow()))
      }
      if table.hasReferences { mayBreakReferences = true }
      let results: [PostgresResult]
      do {
        results = try run(statements)
      } catch let error as SwiftDataError where (error.underlyingError as? PostgresError)?.isUniqueness == true {
        // Another transaction may have inserted the row in the meantime. The repeated save finds it.
        let known = engine.described(error) as? SwiftDataError ?? error
        throw SwiftDataError(
          known.kind, known.explanation ?? "", underlying: (error.underlyingError as? PostgresError)?.asRace)
      }
      var written: [UpsertedRow] = []
      for result in results {
        guard let key = result.integer(0, 0) else { break }
        let name = entity.inheritance == nil ? nil : result.text(0, 1)
        written.append(UpsertedRow(key: key, entityName: name))
        if let name, name != entity.name { return written }
      }
      noteUpserts(written, into: table)
      return written
    }

    func vacate(_ entity: EntityLayout, mask: UInt64, keys: [Int64]) throws {
      guard let sql = rows.vacate(try table(entity), mask: mask) else { return }
      try runEach(sql, keys)
    }

    func redirect(_ relationships: [(EntityLayout, RelationshipLayout)], _ keys: [RedirectedKey]) throws {
      noteAll(relationships.map { $0.0 })
      for (entity, relationship) in relationships {
        let sql = rows.redirect(try table(entity), at: relationship.position)
        try run(
          keys.map { key in
            var parameters = PostgresParameters()
            parameters.append(key.old)
            parameters.append(key.new)
            return PostgresStatement(sql, parameters)
          })
      }
    }

    @discardableResult
    func update(
      _ entity: EntityLayout, mask: UInt64, expecting expected: [[QueryValue]]?,
      _ body: (EngineStatement) throws -> Void
    ) throws -> [RefusedRow] {
      let table = try table(entity)
      let mask = mask & entity.storedMask
      let columns = table.columns(in: mask)
      let batch = PostgresBatch(batches.typesOfUpdate(table, mask: mask), cipher: engine.cipher)
      let notes = OriginalNotes()
      if let expected {
        try body(batch.statement(originals: notes) { _ in nil })
        try update(table, mask: mask, batch, expecting: expected, notes)
        return []
      }
      var conflict: SwiftDataError?
      try body(batch.statement(originals: notes) { _ in conflict })
      guard batch.rowCount > 0 else { return [] }
      if columns.contains(where: { $0.reference != nil }) { mayBreakReferences = true }
      let keys = batch.integers(ofColumn: columns.count)
      let hasOriginals = try append(notes, to: batch) { columns.element(at: $0 - 1) }
      let sql = batches.update(
        table, mask: mask, hasOriginals: hasOriginals, mayRepeat: Set(keys).count < keys.count)
      let statement = PostgresStatement(sql, try batch.parameters())
      guard mask & entity.uniqueMask != 0 else {
        return didUpdate(keys, try run([statement]).last, in: table, columns)
      }
      // The savepoint keeps the transaction usable: even if a row is rejected, the save sends more statements.
      let (results, error) = try attempt([
        PostgresStatement("SAVEPOINT osd_row"), statement, PostgresStatement("RELEASE SAVEPOINT osd_row"),
      ])
      guard let error else { return didUpdate(keys, results.dropFirst().first, in: table, columns) }
      // If statements are queued, rejected rows are not reported: the save is repeated and then finds them.
      guard !isWaiting, ((error as? SwiftDataError)?.underlyingError as? PostgresError)?.isUniqueness == true else {
        throw error
      }
      conflict = engine.described(error) as? SwiftDataError
      return try firstRefusal(keys, batch, sql)
    }

    /// Updates rows whose present values must equal the expected ones. If a row differs, the commit fails.
    private func update(
      _ table: TableMapping, mask: UInt64, _ batch: PostgresBatch, expecting values: [[QueryValue]],
      _ notes: OriginalNotes
    ) throws {
      guard batch.rowCount > 0 else { return }
      let columns = table.columns(in: mask)
      guard values.count == columns.count, values.allSatisfy({ $0.count == batch.rowCount }) else {
        throw SwiftDataError(
          .storeFailure, "Rows of \(table.name) were to be compared by other columns than are written.")
      }
      if columns.contains(where: { $0.reference != nil }) { mayBreakReferences = true }
      let hasOriginals = try append(notes, to: batch) { columns.element(at: $0 - 1) }
      let form = ComparisonForm(
        isDeletion: false, mask: mask, isSingle: batch.rowCount <= Self.mostChangedSingly,
        mayHaveOriginals: zip(columns, values).contains { column, values in
          values.contains { PostgresOriginals.mayHide(column, behind: $0) }
        }, writesOriginals: hasOriginals)
      let keys = batch.integers(ofColumn: columns.count)
      noteUpdates(keys, of: table, columns)
      if form.isSingle { return try queue(rowsOf: batch, keys, form, of: table, columns, expecting: values) }
      var parameters = try batch.parameters()
      for (column, values) in zip(columns, values) {
        try parameters.append(list: values.map(\.storedValue), of: column.format, isUnsigned: column.isUnsigned)
      }
      try queue(comparison(form, of: table, parameters, count: batch.rowCount), readsNumber: true)
    }

    /// If there are at most this many rows, each row has its own statement. A single statement locks its rows in an
    /// order that the server's plan determines.
    private static let mostChangedSingly = 8

    /// Queues a statement for each row, in the order of the keys. If two transactions change the same rows, one then
    /// waits for the other. In another order they could deadlock, which the server only detects after a second.
    private func queue(
      rowsOf batch: PostgresBatch, _ keys: [Int64], _ form: ComparisonForm, of table: TableMapping,
      _ columns: [ColumnMapping], expecting values: [[QueryValue]]
    ) throws {
      let rows = try batch.plainRows()
      let engine = engine
      let alone: ((SingleRowAdditions) -> StatementText)? =
        rows.count > 1
        ? nil
        : { additions in
          engine.texts.text(table, .comparisonAlone(form, additions)) {
            PostgresRowStatements(dialect: engine.dialect).compareAlone(table, form, engine.mark, adding: additions)
          }
        }
      for row in rows.indices.sorted(by: { keys[$0] < keys[$1] }) {
        var parameters = rows[row]
        for (column, values) in zip(columns, values) {
          let type = SQLParameterType.value(column.format, isUnsigned: column.isUnsigned)
          try parameters.append(values[row].storedValue, as: type)
        }
        try queue(
          Queued(
            statement: comparison(form, of: table, parameters, count: 1), readsNumber: true, textAlone: alone))
      }
    }

    /// The statement that writes rows and compares their previous values.
    func comparison(
      _ form: ComparisonForm, of table: TableMapping, _ parameters: PostgresParameters, count: Int
    ) -> PostgresStatement {
      var parameters = parameters
      if !form.isSingle { parameters.append(Int64(count)) }
      let text = engine.texts.text(table, .comparison(form)) { batches.compare(table, form, engine.mark) }
      return PostgresStatement(text, parameters)
    }

    /// Undoes an update, repeats it row by row up to the first row that violates uniqueness, and undoes that too.
    private func firstRefusal(_ keys: [Int64], _ batch: PostgresBatch, _ sql: String) throws -> [RefusedRow] {
      let undo = "ROLLBACK TO SAVEPOINT osd_row"
      try owned?.connection.execute(undo)
      let (results, error) = try attempt(try batch.singleRows().map { PostgresStatement(sql, $0) })
      try owned?.connection.execute("\(undo); RELEASE SAVEPOINT osd_row")
      let missing = results.indices.filter { results[$0].rowCount == 0 }
      let refused = error == nil ? keys.count - 1 : results.count
      return missing.map { RefusedRow(index: $0, code: EngineStatement.missingRowCode) }
        + [RefusedRow(index: refused, code: PostgresBatch.conflictCode(ofRow: refused))]
    }

    private func didUpdate(
      _ keys: [Int64], _ result: PostgresResult?, in table: TableMapping, _ columns: [ColumnMapping]
    ) -> [RefusedRow] {
      let missing = refusedRows(of: keys, written: result) { _ in EngineStatement.missingRowCode }
      noteUpdates(keys, of: table, columns)
      return missing
    }
  }

  extension TableMapping {
    /// Whether the table has foreign keys.
    fileprivate var hasReferences: Bool { columns.contains { $0.reference != nil } }

    /// Whether the table has values that may differ from their stored form (texts and floating-point numbers).
    var mayHaveOriginals: Bool {
      ([self] + subtables).contains { $0.columns.contains(where: \.mayHaveOriginals) }
    }

    fileprivate func column(_ index: Int) -> ColumnMapping? { columns.element(at: index) }
  }

  extension [ColumnMapping] {
    /// The column at an index; nil if the index is out of range.
    fileprivate func element(at index: Int) -> ColumnMapping? { indices.contains(index) ? self[index] : nil }
  }
#endif
