import CSQLite
import PersistenceRuntime
import PersistenceSchemas
import PersistenceSupport
import SQLEngine

/// Checks that the store has the tables, columns, indexes and triggers of its schema, in any SQL spelling.
///
/// The store is compared with an empty in-memory store of the same schema.
struct DefinitionCheck: CheckStep {
  /// Tables without rows of models. If such a table is missing, a repair can create an empty one.
  private static let helpers: Set<String> = [StoreFormat.sequenceTable, ExternalTables.superfluous]

  private let wanted: DatabaseShape
  private let entities: [String: String]
  private let scratch: SQLiteHandle
  var tables: [String] { [] }

  init(database: DatabaseMapping) throws {
    scratch = try SQLiteHandle(opening: ":memory:", flags: SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, path: ":memory:")
    let configuration = SQLiteStoreConfiguration(location: .memory)
    let memory = SQLiteDialect.statementMemory(of: [])
    try ConnectionOpening(configuration: configuration, statementMemory: memory).prepare(scratch)
    for sql in StoreFormat.creation(of: database) { try scratch.execute(sql) }
    wanted = try DatabaseShape(of: scratch)
    entities = Dictionary(database.tables.map { ($0.name.lowercased(), $0.entity.name) }) { first, _ in first }
  }

  func run(in check: StoreCheck) throws {
    let found = try DatabaseShape(of: check.handle)
    check.unusableTables = []
    for object in wanted.objects where !wanted.isShadow(object) && !check.unusableTables.contains(object.table) {
      guard let own = found.object(like: object) else {
        try addMissing(object, in: check)
        continue
      }
      if object.type == "table" {
        if !object.isVirtual { try compare(own, object, found, in: check) }
      } else if try !found.isSame(own, as: object, of: wanted) {
        try replace(own, by: object, in: check)
      }
    }
    try makeHistoryTables(in: check)
  }

  // MARK: Missing

  /// Creates missing history tables if triggers still write to them, for example if a table was dropped by hand.
  private func makeHistoryTables(in check: StoreCheck) throws {
    guard try !TombstoneTriggers.present(on: check.handle).isEmpty else { return }
    for (name, creation) in [
      (HistoryTable.name, HistoryTable.creation), (TombstoneTable.name, TombstoneTable.creation),
    ] where try !check.handle.hasTable(name) {
      if check.isRepairing { try check.handle.execute(creation) }
      check.log.add(
        .definition, table: name, "there is no table \(name), to which triggers write, so that rows cannot be deleted",
        advice: check.isRepairing ? "It was made, and is empty" : "It can be made, and is empty then",
        repair: check.repair)
    }
  }

  private func addMissing(_ object: DatabaseShape.Part, in check: StoreCheck) throws {
    if object.type == "table" { check.unusableTables.insert(object.name) }
    let isEntity = object.type == "table" && !object.isVirtual && !Self.helpers.contains(object.name)
    guard isEntity else { return try make(object, "there is no \(object.words)", in: check) }
    check.log.add(
      .definition, entity: entities[object.name.lowercased()], table: object.name,
      "the table is missing, and with it every row of it", advice: "Restore the store from a backup",
      repair: .impossible)
  }

  private func replace(
    _ own: DatabaseShape.Part, by object: DatabaseShape.Part, in check: StoreCheck
  ) throws {
    let explanation = "the \(object.type) is another one than that of the schema"
    guard check.isRepairing else { return add(object, explanation, .possible, in: check) }
    let name = check.quoted(own.name)
    try check.handle.execute("SAVEPOINT osd_definition; DROP \(object.type.uppercased()) \(name)")
    try make(object, explanation, in: check)
    // If the rows of the table violate the new index, the old index is restored.
    let isMade = try DatabaseShape(of: check.handle).object(like: object) != nil
    try check.handle.execute((isMade ? "" : "ROLLBACK TO osd_definition; ") + "RELEASE osd_definition")
  }

  private func make(_ object: DatabaseShape.Part, _ explanation: String, in check: StoreCheck) throws {
    guard check.isRepairing else { return add(object, explanation, .possible, in: check) }
    do {
      try check.handle.execute(object.sql)
      check.unusableTables.remove(object.name)
      add(object, explanation, .done, in: check)
    } catch let error as SwiftDataError where error.kind == .modelValidationFailure {
      add(object, explanation, .impossible, in: check)
    }
  }

  private func add(
    _ object: DatabaseShape.Part, _ explanation: String, _ repair: StoreProblem.Repair, in check: StoreCheck
  ) {
    let advice =
      switch repair {
      case .done: "It was made as the schema has it"
      case .possible: "It can be made as the schema has it"
      case .impossible: "Rows are alike that may not be: change or delete all but one of each"
      }
    let kind: StoreProblem.Kind = object.type == "table" ? (object.isVirtual ? .spatialIndex : .definition) : .index
    check.log.add(
      kind, entity: entities[object.table.lowercased()], table: object.name, explanation, advice: advice,
      repair: repair)
  }

  // MARK: Tables

  private func compare(
    _ own: DatabaseShape.Part, _ object: DatabaseShape.Part, _ found: DatabaseShape, in check: StoreCheck
  ) throws {
    var differences: [(column: String?, words: String)] = []
    let (columns, others) = try (wanted.columns(of: object.name), found.columns(of: own.name))
    for column in columns.values.sorted(by: { $0.name < $1.name }) {
      guard let other = others[column.name.lowercased()] else {
        check.unusableTables.insert(object.name)
        differences.append((column.name, "the column is missing, and with it every value in it"))
        continue
      }
      differences += column.differences(from: other).map { (column.name, $0) }
    }
    for other in others.values where columns[other.name.lowercased()] == nil && other.isRequired && !other.hasDefault {
      differences.append(
        (other.name, "the column is another program's and must have a value, so that no model can be saved"))
    }
    differences += try referenceDifferences(own, object, found).map { (nil, $0) }
    for (column, words) in differences {
      check.log.add(
        .definition, entity: entities[object.name.lowercased()], table: object.name, column: column, words,
        advice: "Restore the store from a backup, or have the program that changed the table change it back",
        repair: .impossible)
    }
  }

  private func referenceDifferences(
    _ own: DatabaseShape.Part, _ object: DatabaseShape.Part, _ found: DatabaseShape
  ) throws -> [String] {
    let (references, others) = try (wanted.references(of: object.name), found.references(of: own.name))
    var words = references.subtracting(others).map {
      "the reference \($0.column) to \($0.table) is not declared as one (ON DELETE \($0.action))"
    }
    // A save writes rows in any order, so SQLite must not check references before the commit.
    if words.isEmpty, !references.isEmpty, !DatabaseShape.plain(own.sql).contains("deferrableinitiallydeferred") {
      words.append(
        "its references are not deferred to the end of a transaction, so that models cannot be saved in any order")
    }
    let unique = try wanted.uniqueColumns(of: object.name).subtracting(found.uniqueColumns(of: own.name))
    return words.sorted() + unique.map { "\($0.joined(separator: ", ")) are not declared as unique" }.sorted()
  }
}

extension DatabaseShape.Part {
  fileprivate var words: String { isVirtual ? "spatial index" : type }
}

extension DatabaseShape.Column {
  /// Describes how the column that was found differs from this column of the schema.
  fileprivate func differences(from other: DatabaseShape.Column) -> [String] {
    var words: [String] = []
    if type != other.type {
      words.append("the column is declared \(other.type.isEmpty ? "without a type" : other.type) and not \(type)")
    }
    if isKey != other.isKey { words.append("the column is \(isKey ? "not " : "")a part of the primary key") }
    if isRequired, !other.isRequired, !isKey { words.append("the column may be without a value, and must not be") }
    if !isRequired, other.isRequired { words.append("the column must have a value, and may be without one") }
    if other.isGenerated { words.append("the column is computed, so that no model can be saved") }
    return words
  }
}
