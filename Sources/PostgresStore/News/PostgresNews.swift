#if PostgreSQL
  import Foundation
  import PersistenceRuntime
  import SQLEngine

  /// The rows that commits have changed. Processes that have read these rows before are notified of them.
  ///
  /// Each statement adds its rows. Some of them may be unchanged, which only causes unnecessary reads.
  struct PostgresNews: Sendable {
    /// Rows of one entity. Inserted rows count as changed: another process may already know their identifiers.
    struct Rows: Sendable, Hashable {
      var changed: Set<Int64> = []
      var deleted: Set<Int64> = []
      /// Whether all rows may have changed.
      var isAll = false

      mutating func merge(_ later: Rows) {
        changed = changed.subtracting(later.deleted).union(later.changed)
        deleted = deleted.subtracting(later.changed).union(later.deleted)
        isAll = isAll || later.isAll || changed.count + deleted.count > PostgresNews.limit
        if isAll { (changed, deleted) = ([], []) }
      }
    }

    /// The maximum number of rows of an entity that are listed by key.
    static let limit = 1_000

    private(set) var entities: [String: Rows] = [:]

    var isEmpty: Bool { entities.isEmpty }

    /// The number of listed rows.
    var count: Int { entities.values.reduce(0) { $0 + $1.changed.count + $1.deleted.count } }

    mutating func note(changed keys: some Collection<Int64>, of entity: String) {
      guard keys.count <= Self.limit else { return noteAll(of: entity) }
      entities[entity, default: Rows()].merge(Rows(changed: Set(keys)))
    }

    mutating func note(deleted keys: some Collection<Int64>, of entity: String) {
      guard keys.count <= Self.limit else { return noteAll(of: entity) }
      entities[entity, default: Rows()].merge(Rows(deleted: Set(keys)))
    }

    mutating func noteAll(of entity: String) { entities[entity] = Rows(isAll: true) }

    mutating func merge(_ later: PostgresNews) {
      for (entity, rows) in later.entities { entities[entity, default: Rows()].merge(rows) }
    }

    // MARK: Text

    init() {}

    /// The rows of an entity in the JSON text.
    private struct Keys: Decodable {
      let changed: [Int64]
      let deleted: [Int64]
    }

    /// Parses the JSON that ``text`` creates; nil if the JSON has another structure.
    init?(_ text: String) {
      guard let entities = try? JSONDecoder().decode([String: Keys?].self, from: Data(text.utf8)) else { return nil }
      self.entities = entities.mapValues { keys in
        keys.map { Rows(changed: Set($0.changed), deleted: Set($0.deleted)) } ?? Rows(isAll: true)
      }
    }

    /// JSON with the rows by entity: `{"Trip":{"changed":[1],"deleted":[]},"Stop":null}`, where null means any row.
    ///
    /// Foundation's encoder is not used, because it would take a tenth of the time of a save.
    var text: String {
      let parts = entities.sorted { $0.key < $1.key }.map { name, rows -> String in
        let escaped = name.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"")
        guard !rows.isAll else { return "\"\(escaped)\":null" }
        return "\"\(escaped)\":{\"changed\":\(Array(rows.changed)),\"deleted\":\(Array(rows.deleted))}"
      }
      return "{\(parts.joined(separator: ","))}"
    }

    /// The changed rows, as they are passed to contexts; nil if this program does not know one of the entities.
    func foreignRows(_ database: DatabaseMapping) -> [ForeignRows]? {
      var result: [ForeignRows] = []
      for (name, rows) in entities {
        guard let entity = database.table(named: name)?.entity else { return nil }
        var foreign = ForeignRows(of: entity, updated: rows.changed, deleted: rows.deleted)
        foreign.meansAll = rows.isAll
        result.append(foreign)
      }
      return result
    }
  }

  extension PostgresNews {
    /// Records deleted rows. All rows of the entities that may reference them count as changed.
    mutating func note(deleted keys: some Collection<Int64>, of entity: EntityLayout, in database: DatabaseMapping) {
      note(deleted: keys, of: entity.name)
      let names = entity.destinationNames
      for other in database.tables.map(\.entity)
      where other.relationships.contains(where: { names.contains($0.destination) }) {
        noteAll(of: other.name)
      }
    }

    /// Records that any row of any entity may have changed.
    mutating func noteEverything(in database: DatabaseMapping) {
      for table in database.tables { noteAll(of: table.entity.name) }
    }
  }
#endif
