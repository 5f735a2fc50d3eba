#if PostgreSQL
  import PersistenceRuntime
  import PersistenceSchemas
  import PersistenceSupport
  import SQLEngine

  /// Gives the history of a store the names that a migration gives to entities, properties, tables and columns.
  ///
  /// A schema knows one former name of each. Where something is renamed for the second time, what was recorded before would not be
  /// found, and where a name is given again, it would be taken for something else.
  struct PostgresHistoryRenaming {
    /// An entity, and those of its properties, that have other names now.
    private struct Entity {
      let old: String
      let new: String
      /// The new names of properties, by the old ones.
      let properties: [String: String]
    }

    private let dialect: PostgresDialect
    private let tables: [TableRenaming]
    private let entities: [Entity]

    init(
      _ change: SchemaChange, to new: MigrationSchema, tables: [TableRenaming], dialect: PostgresDialect
    ) {
      self.dialect = dialect
      self.tables = tables
      entities = new.layouts.compactMap { layout in
        guard change.isKept(layout.name) else { return nil }
        var properties: [String: String] = [:]
        for property in layout.properties {
          guard let old = change.source(of: property.name, in: layout.name), old != property.name else { continue }
          properties[old] = property.name
        }
        let old = change.oldName(of: layout.name)
        guard old != layout.name || !properties.isEmpty else { return nil }
        return Entity(old: old, new: layout.name, properties: properties)
      }
    }

    /// The statements, in their order; none where nothing has another name.
    var statements: [String] { (entities.isEmpty ? [] : [records]) + values }

    // MARK: Values of deleted rows

    private var tombstones: String { dialect.table(PostgresTombstoneTable.name) }

    /// Tables may exchange their names, and so may columns, so all are put aside first.
    private var values: [String] {
      tables.flatMap(puttingAside) + tables.flatMap(takingOver)
    }

    private func asideName(of table: String) -> String { DatabaseMigration.asidePrefix + table }

    private func puttingAside(_ table: TableRenaming) -> [String] {
      // What was in columns that are gone would be found in those that have their names now.
      let gone = Set(table.columns.values).subtracting(table.columns.keys)
      let deletion =
        "DELETE FROM \(tombstones) WHERE \"table\" = \(text(table.old)) AND \"column\" IN (\(list(Array(gone))))"
      let aside = text(asideName(of: table.old))
      return (gone.isEmpty ? [] : [deletion])
        + ["UPDATE \(tombstones) SET \"table\" = \(aside) WHERE \"table\" = \(text(table.old))"]
    }

    private func takingOver(_ table: TableRenaming) -> [String] {
      let column = Self.replaced("\"column\"", by: table.columns, text)
      return [
        "DELETE FROM \(tombstones) WHERE \"table\" = \(text(table.new))",
        "UPDATE \(tombstones) SET \"table\" = \(text(table.new)), \"column\" = \(column) "
          + "WHERE \"table\" = \(text(asideName(of: table.old)))",
      ]
    }

    // MARK: Records

    /// Records are JSON: `["update","Trip",["name"],7]` for each group of rows.
    private var records: String {
      let history = dialect.table(PostgresHistoryTable.name)
      let names = entities.flatMap { [$0.old] + $0.properties.keys }
      let tests = Set(names).sorted().map { "strpos(\"changes\"::text, \(text("\"\($0)\""))) > 0" }
      let cases = entities.sorted { $0.old < $1.old }.map { "WHEN \(text($0.old)) THEN \(group(of: $0))" }
      return "UPDATE \(history) SET \"changes\" = (SELECT json_agg(CASE e.v ->> 1 \(cases.joined(separator: " ")) "
        + "ELSE e.v END ORDER BY e.n) FROM json_array_elements(\"changes\") WITH ORDINALITY AS e (v, n)) "
        + "WHERE \"changes\" IS NOT NULL AND (\(tests.joined(separator: " OR ")))"
    }

    private func group(of entity: Entity) -> String {
      let renamed = "jsonb_set(e.v::jsonb, '{1}', to_jsonb(\(text(entity.new))::text))"
      guard !entity.properties.isEmpty else { return "\(renamed)::json" }
      let name = Self.replaced("p.v", by: entity.properties, text)
      let list =
        "SELECT coalesce(jsonb_agg(\(name) ORDER BY p.n), '[]') "
        + "FROM json_array_elements_text(e.v -> 2) WITH ORDINALITY AS p (v, n)"
      return "(CASE e.v ->> 0 WHEN 'update' THEN jsonb_set(\(renamed), '{2}', (\(list))) ELSE \(renamed) END)::json"
    }

    // MARK: Texts

    /// An expression with the new names in the place of old ones.
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
