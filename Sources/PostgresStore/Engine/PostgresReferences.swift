#if PostgreSQL
  import PersistenceRuntime
  import PostgresSQL
  import SQLEngine

  /// The rows that a transaction deletes, and the rows that foreign key actions change, by table.
  final class PostgresReferenceWatch {
    var deleted: [String: Set<Int64>] = [:]
    var changed: [String: Set<Int64>] = [:]

    func note(_ other: PostgresReferenceWatch) {
      deleted.merge(other.deleted) { $0.union($1) }
      changed.merge(other.changed) { $0.union($1) }
    }
  }

  /// The foreign key columns with SET NULL or CASCADE, by the table that they reference.
  struct PostgresReferences: Sendable {
    struct Reference: Sendable, Hashable {
      let table: String
      let column: String
      let action: ReferenceAction
    }

    private var byTarget: [String: [Reference]] = [:]
    private let dialect: PostgresDialect

    init(_ database: DatabaseMapping, dialect: PostgresDialect) {
      self.dialect = dialect
      for table in database.tables {
        for column in table.ownColumns {
          guard let reference = column.reference, reference.action != .refuse else { continue }
          byTarget[reference.table, default: []].append(
            Reference(table: table.name, column: column.name, action: reference.action))
        }
      }
    }

    /// Returns true if foreign keys with SET NULL or CASCADE reference the table.
    func lead(to table: TableMapping) -> Bool { byTarget[table.name] != nil }

    /// The statements that fail if a row references a row to be deleted. Parameter 1 is the list of keys to be deleted.
    func refusals(of table: TableMapping, _ texts: SaveTexts) -> [(reference: Reference, text: StatementText)] {
      let statements = PostgresRowStatements(dialect: dialect)
      return (byTarget[table.name] ?? []).enumerated().map { index, reference in
        let text = texts.text(table, .refusal(index)) {
          statements.refuseReferences(
            by: reference.column, in: reference.table, toItself: reference.table == table.name)
        }
        return (reference, text)
      }
    }

    /// Sorts tables so that a table comes before the tables that it references, except in cycles.
    func referringFirst(_ tables: [String]) -> [String] {
      var result: [String] = []
      var seen: Set<String> = []
      func visit(_ name: String) {
        guard seen.insert(name).inserted else { return }
        for reference in byTarget[name] ?? [] where tables.contains(reference.table) { visit(reference.table) }
        result.append(name)
      }
      tables.forEach(visit)
      return result
    }

    /// Determines which rows the foreign key actions of a deletion affect, since PostgreSQL does not report them.
    ///
    /// All rows to be deleted are locked, so that other transactions cannot add references to them.
    ///
    /// - Parameter read: Runs a statement with a list of keys, and returns the keys in its result.
    func affected(
      by table: TableMapping, _ keys: [Int64], read: (String, [Int64]) throws -> [Int64]
    ) throws -> PostgresReferenceWatch {
      let watch = PostgresReferenceWatch()
      let statements = PostgresRowStatements(dialect: dialect)
      var seen = [table.name: Set(keys)]
      var waiting = [(name: table.name, keys: keys)]
      while let (name, keys) = waiting.popLast() {
        for reference in byTarget[name] ?? [] {
          let sql = statements.keys(
            referringBy: reference.column, in: reference.table, locks: reference.action == .cascade)
          let found = try read(sql, keys)
          guard !found.isEmpty else { continue }
          guard reference.action == .cascade else {
            watch.changed[reference.table, default: []].formUnion(found)
            continue
          }
          let new = Set(found).subtracting(seen[reference.table] ?? [])
          guard !new.isEmpty else { continue }
          seen[reference.table, default: []].formUnion(new)
          watch.deleted[reference.table, default: []].formUnion(new)
          waiting.append((reference.table, Array(new)))
        }
      }
      return watch
    }
  }
#endif
