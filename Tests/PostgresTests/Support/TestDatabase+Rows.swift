#if PostgreSQL
  import Foundation
  import PersistenceCore
  import PostgresStore
  import SQLEngine

  // Writes and reads rows by the same functions as the library's core.
  extension TestDatabase {
    var session: PostgresSession {
      PostgresSession(
        connection, dialect: dialect, memory: StatementMemory(database, dialect: dialect))
    }

    var statements: PostgresRowStatements { PostgresRowStatements(dialect: dialect) }

    /// Writes the column values of objects to a batch. The key is the first value of a row, as in an insertion, or the
    /// last one, as in an update.
    func write<Model: PersistentModel>(
      _ objects: [(key: Int64, object: Model)], to batch: PostgresBatch, mask: UInt64 = PropertyMask.all,
      keyComesFirst: Bool = true
    ) throws {
      let entity = try table(Model.self).entity
      let session = WriteSession(
        entity: entity, objects: ContiguousArray(objects.map { $0.object as AnyObject }), keyComesFirst: keyComesFirst,
        error: { _ in .storeFailure })
      let statement = batch.statement
      try withExtendedLifetime((session, batch)) {
        var writer = RowWriter(statement, session: session, mask: mask)
        let functions = statement.functions.pointee
        for (index, (key, object)) in objects.enumerated() {
          writer.beginRow(at: index)
          if keyComesFirst { writer.check(functions.integer(statement.statement, writer.advance(), key), 0) }
          object._$write(&writer)
          if !keyComesFirst { writer.check(functions.integer(statement.statement, writer.advance(), key), 0) }
          try session.failure.throwFirst()
          let code = functions.step(statement.statement)
          if code != 0 { throw statement.error(code) }
        }
      }
    }

    /// Inserts the objects by one statement.
    func insert<Model: PersistentModel>(_ objects: [Model]) throws {
      let table = try table(Model.self)
      let batch = PostgresBatch(statements.typesOfInsertion(table))
      try write(objects.enumerated().map { (Int64($0 + 1), $1) }, to: batch)
      let result = try connection.run(
        PostgresStatement(statements.insert(into: table), try batch.parameters()))
      guard result.affectedRows == objects.count else { throw SwiftDataError.storeFailure }
    }
  }

  /// Reads the column values of rows by the functions that generated model code uses.
  func values(of rows: EngineRows) throws -> [[StoredValue]] {
    let functions = rows.functions.pointee
    var result: [[StoredValue]] = []
    while true {
      let code = functions.step(rows.row)
      guard code == functions.rowCode else {
        guard code == functions.doneCode else { throw rows.error(code) }
        return result
      }
      result.append(try values(of: rows, columns: 64))
    }
  }

  private func values(of rows: EngineRows, columns: Int32) throws -> [StoredValue] {
    let (functions, row) = (rows.functions.pointee, rows.row)
    let all: [StoredValue] = (0..<columns).map { column in
      switch StorageClass(rawValue: functions.storageClass(row, column)) {
      case .integer: return .integer(functions.integer(row, column))
      case .real: return .real(functions.real(row, column))
      case .text:
        let text = functions.text(row, column)
        return .text(
          String(
            decoding: UnsafeBufferPointer(start: text, count: Int(functions.count(row, column))), as: UTF8.self))
      case .blob:
        let bytes = functions.blob(row, column)
        return .blob(Data(UnsafeRawBufferPointer(start: bytes, count: Int(functions.count(row, column)))))
      case .null, nil: return .null
      }
    }
    return all
  }

  extension [StoredValue] {
    /// The first `count` values. The values after the last column of a row are null.
    func first(_ count: Int) -> [StoredValue] { Array(prefix(count)) }
  }
#endif
