import PersistenceRuntime
import PersistenceSupport
import SQLEngine

/// Checks one spatial index: it is undamaged, and contains the rows of its table at their coordinates.
struct SpatialIndexCheck: CheckStep {
  let index: SpatialIndexMapping
  var tables: [String] { [index.table, index.name] }

  func run(in check: StoreCheck) throws {
    // A missing index is not checked here: ``DefinitionCheck`` reports it, and its repair creates an empty index.
    guard let explanation = try fault(in: check) else { return }
    if check.isRepairing {
      try check.handle.execute("DROP TABLE \(check.quoted(index.name))")
      if let definition = check.dialect.spatialIndex(index).first { try check.handle.execute(definition) }
      try check.handle.execute(check.dialect.contents(of: index))
    }
    check.log.add(
      .spatialIndex, table: index.name, explanation,
      advice: check.isRepairing ? "It was made again from its table" : "It can be made again from its table",
      repair: check.repair)
  }

  private func fault(in check: StoreCheck) throws -> String? {
    if let damage = try damage(in: check) { return "the spatial index is damaged (\(damage.prefix(200)))" }
    let (tree, table, key) = (check.quoted(index.name), check.quoted(index.table), check.key)
    let (isPoint, isWithin) = (check.dialect.isPoint(index, "t."), check.dialect.isWithin(index, tree: "r.", row: "t."))
    let strays = try check.handle.number(
      "SELECT count(*) FROM \(table) AS t LEFT JOIN \(tree) AS r ON r.\(key) = t.\(key) "
        + "WHERE (\(isPoint)) AND (r.\(key) IS NULL OR NOT (\(isWithin)))")
    let leftovers = try check.handle.number(
      "SELECT count(*) FROM \(tree) AS r WHERE NOT EXISTS "
        + "(SELECT 1 FROM \(table) AS t WHERE t.\(key) = r.\(key) AND (\(isPoint)))")
    let counts = [(strays ?? 0, "rows are not in it where they are"), (leftovers ?? 0, "entries are of no row")]
    let words = counts.filter { $0.0 > 0 }.map { "\($0.0) \($0.1)" }
    return words.isEmpty ? nil : "the spatial index is not in step with its table: \(words.joined(separator: "; "))"
  }

  /// The message of SQLite's check of the R*Tree; nil if the check found no damage.
  private func damage(in check: StoreCheck) throws -> String? {
    do {
      var damage: String?
      try check.rows("SELECT rtreecheck(?1)", .text(index.name)) { row in
        if let words = row.text(0), words != "ok" { damage = words }
      }
      return damage
    } catch let error as SwiftDataError where error.kind == .storeCorrupt {
      return "it cannot be read"
    }
  }
}
