#if PostgreSQL
  import PersistenceHistory
  import PersistenceRuntime
  import PersistenceSchemas
  import PersistenceSupport
  import PostgresSQL
  import SQLEngine

  /// Renames entities, properties, tables and columns in the store's history when a migration renames them, and changes
  /// row keys if the migration merges tables.
  ///
  /// Without this, records from before two renamings would not be found, since a schema only knows the last former
  /// name. If a name is used again, records of the old entity or property would be read as records of the new one.
  struct PostgresHistoryRenaming {
    /// An entity whose name, property names or keys have changed.
    private struct Entity {
      let old: String
      let new: String
      /// The new names of properties, by old name.
      let properties: [String: String]
      /// The number that the migration adds to the keys of the entity's rows.
      let offset: Int64
    }

    /// The new table of some rows, and the number that is added to their keys.
    struct Move {
      let table: TableRenaming
      let offset: Int64
    }

    private let dialect: PostgresDialect
    private let moves: [Move]
    private let entities: [Entity]

    init(_ change: SchemaChange, to new: MigrationSchema, moves: [Move], dialect: PostgresDialect) {
      self.dialect = dialect
      self.moves = moves
      entities = new.layouts.compactMap { layout in
        guard change.isKept(layout.name) else { return nil }
        var properties: [String: String] = [:]
        for property in layout.properties {
          guard let old = change.source(of: property.name, in: layout.name), old != property.name else { continue }
          properties[old] = property.name
        }
        let old = change.oldName(of: layout.name)
        let offset = moves.first { $0.table.entities.contains(old) }?.offset ?? 0
        guard old != layout.name || !properties.isEmpty || offset != 0 else { return nil }
        return Entity(old: old, new: layout.name, properties: properties, offset: offset)
      }
    }

    /// Empty if no name or key has changed. Values of deleted rows come first: their statements read the old records.
    var statements: [String] { values + (entities.isEmpty ? [] : [records]) }

    // MARK: Values of deleted rows

    private var tombstones: String { dialect.table(PostgresTombstoneTable.name) }
    private var history: String { dialect.table(PostgresHistoryTable.name) }

    /// Two tables may swap their names, and so may two columns, so all values first get a temporary table name.
    private var values: [String] {
      let places = Set(moves.map(\.table.new)).sorted()
      let deletions = places.map { "DELETE FROM \(tombstones) WHERE \"table\" = \(text($0))" }
      return moves.flatMap { puttingAside($0.table) } + deletions + moves.map(takingOver)
    }

    private func asideName(of table: TableRenaming) -> String {
      "\(DatabaseMigration.asidePrefix)\(table.old) \(table.new)"
    }

    private func puttingAside(_ table: TableRenaming) -> [String] {
      let aside = text(asideName(of: table))
      // A dropped column's values are deleted: otherwise they would be read for a column that has its name now.
      let gone = Set(table.columns.values).subtracting(table.columns.keys)
      let deletion = "DELETE FROM \(tombstones) WHERE \"table\" = \(aside) AND \"column\" IN (\(list(Array(gone))))"
      var change = "UPDATE \(tombstones) AS t SET \"table\" = \(aside) "
      if table.isPart { change += "FROM (\(deletedRows(of: table.entities))) AS d " }
      change += "WHERE t.\"table\" = \(text(table.old))"
      if table.isPart { change += " AND d.n = t.\"number\" AND d.k = t.\"key\"" }
      return [change] + (gone.isEmpty ? [] : [deletion])
    }

    /// Selects the record number and the key of each deleted row of some entities.
    private func deletedRows(of entities: [String]) -> String {
      let (first, last) = ("(p.v ->> 0)::numeric", "(p.v ->> 1)::numeric")
      func end(_ number: String) -> String {
        """
        CASE WHEN p.n < 3 THEN NULL WHEN json_typeof(p.v) = 'number' THEN (p.v #>> '{}')::int8
        WHEN \(last) - \(first) < \(HistoryRecord.mostChanges) THEN (\(number))::int8 END
        """
      }
      return """
        SELECT DISTINCT h."number" AS n, s.k FROM \(history) AS h,
        json_array_elements(h."changes") AS e (v), json_array_elements(e.v) WITH ORDINALITY AS p (v, n),
        generate_series(\(end(first)), \(end(last))) AS s (k)
        WHERE h."changes" IS NOT NULL AND e.v ->> 0 = 'delete' AND e.v ->> 1 IN (\(list(entities)))
        """
    }

    private func takingOver(_ move: Move) -> String {
      let column = Self.replaced("\"column\"", by: move.table.columns, text)
      let key = move.offset == 0 ? "" : ", \"key\" = \"key\" + \(move.offset)"
      return "UPDATE \(tombstones) SET \"table\" = \(text(move.table.new)), \"column\" = \(column)\(key) "
        + "WHERE \"table\" = \(text(asideName(of: move.table)))"
    }

    // MARK: Records

    /// Changes names and keys in the records, whose JSON has a list for each group: `["update","Trip",["name"],7]`.
    private var records: String {
      let names = entities.flatMap { [$0.old] + $0.properties.keys }
      let tests = Set(names).sorted().map { "strpos(\"changes\"::text, \(text("\"\($0)\""))) > 0" }
      let cases = entities.sorted { $0.old < $1.old }.map { "WHEN \(text($0.old)) THEN \(group(of: $0))" }
      return "UPDATE \(history) SET \"changes\" = (SELECT json_agg(CASE e.v ->> 1 \(cases.joined(separator: " ")) "
        + "ELSE e.v END ORDER BY e.n) FROM json_array_elements(\"changes\") WITH ORDINALITY AS e (v, n)) "
        + "WHERE \"changes\" IS NOT NULL AND (\(tests.joined(separator: " OR ")))"
    }

    private func group(of entity: Entity) -> String {
      let renamed = "jsonb_set(\(moved(by: entity.offset)), '{1}', to_jsonb(\(text(entity.new))::text))"
      guard !entity.properties.isEmpty else { return "\(renamed)::json" }
      let name = Self.replaced("p.v", by: entity.properties, text)
      let list =
        "SELECT coalesce(jsonb_agg(\(name) ORDER BY p.n), '[]') "
        + "FROM json_array_elements_text(e.v -> 2) WITH ORDINALITY AS p (v, n)"
      return "(CASE e.v ->> 0 WHEN 'update' THEN jsonb_set(\(renamed), '{2}', (\(list))) ELSE \(renamed) END)::json"
    }

    /// A group with an offset added to its keys. A number is a key, and a list of two numbers is a range of keys.
    private func moved(by offset: Int64) -> String {
      guard offset != 0 else { return "e.v::jsonb" }
      func sum(_ value: String) -> String { "to_jsonb((\(value) #>> '{}')::numeric + \(offset))" }
      let range =
        "SELECT jsonb_agg(\(sum("q.v")) ORDER BY q.n) FROM json_array_elements(p.v) WITH ORDINALITY AS q (v, n)"
      return """
        (SELECT jsonb_agg(CASE WHEN json_typeof(p.v) = 'number' THEN \(sum("p.v"))
        WHEN json_typeof(p.v -> 0) = 'number' AND json_typeof(p.v -> 1) = 'number' THEN (\(range))
        ELSE p.v::jsonb END ORDER BY p.n) FROM json_array_elements(e.v) WITH ORDINALITY AS p (v, n))
        """
    }

    // MARK: Texts

    /// An SQL expression that replaces old names by new ones.
    private static func replaced(
      _ expression: String, by names: [String: String], _ text: (String) -> String
    ) -> String {
      guard !names.isEmpty else { return expression }
      let cases = names.sorted { $0.key < $1.key }.map { "WHEN \(text($0.key)) THEN \(text($0.value))" }
      return "CASE \(expression) \(cases.joined(separator: " ")) ELSE \(expression) END"
    }

    private func text(_ name: String) -> String { dialect.literal(.text(name)) }

    private func list(_ names: [String]) -> String { names.sorted().map(text).joined(separator: ", ") }
  }
#endif
