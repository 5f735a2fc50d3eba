import SwiftData

extension Damager {
  private static let keys: [Int64] = [
    0, -1, .min, .max, .max - 1, 1 << 31, 1 << 32, 1 << 40, 64_000_000, 67_108_864, 999,
  ]

  private static let notes = [
    "joint migration", "joint migrations", "encryption", "external files", "format", "schema", "identifier",
  ]

  private func tables(of store: RawStore) throws -> [String] {
    try store.rows("SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\'")
      .compactMap { $0[0].string }
  }

  /// The names of a table's columns. The first one is the primary key.
  private func columns(of table: String, _ store: RawStore) throws -> [String] {
    try store.rows("SELECT name FROM pragma_table_info(?1)", [.text(table)]).compactMap { $0[0].string }
  }

  /// Picks a table: four times out of five one of the models, otherwise any table, including the library's own ones.
  private mutating func table(of store: RawStore) throws -> String {
    let all = try tables(of: store)
    let own = all.filter { !$0.hasPrefix("_osd") }
    // The library's own tables, such as join tables, have few rows, but damage to these rows affects many operations.
    return pick(chance(5) ? all : own) ?? ""
  }

  private mutating func rowid(of table: String, _ store: RawStore) throws -> RawValue {
    pick(try store.rows("SELECT rowid FROM \"\(table)\""))?[0] ?? .null
  }

  mutating func changeValues(in store: RawStore) throws {
    for _ in 0...number(0..<3) {
      let table = try table(of: store)
      let row = try rowid(of: table, store)
      guard let column = pick(try columns(of: table, store).dropFirst()) else { continue }
      let old = try store.rows("SELECT \"\(column)\" FROM \"\(table)\" WHERE rowid = ?1", [row]).first?[0]
      let new = value(insteadOf: old ?? .null)
      note("\(table).\(column) of \(row.words) = \(new.words)")
      try store.rows("UPDATE \"\(table)\" SET \"\(column)\" = ?1 WHERE rowid = ?2", [new, row])
    }
  }

  /// Sets one column to one value in all rows, or only in the rows with even keys.
  mutating func changeColumn(in store: RawStore) throws {
    let table = try table(of: store)
    guard let column = pick(try columns(of: table, store).dropFirst()) else { return }
    let old = try store.rows("SELECT \"\(column)\" FROM \"\(table)\" LIMIT 1").first?[0]
    let new = value(insteadOf: old ?? .null)
    let test = chance(2) ? "1" : "rowid % 2 = 0"
    note("\(table).\(column) where \(test) = \(new.words)")
    try store.rows("UPDATE \"\(table)\" SET \"\(column)\" = ?1 WHERE \(test)", [new])
  }

  mutating func changeKeys(in store: RawStore) throws {
    let table = try table(of: store)
    let row = try rowid(of: table, store)
    let key = RawValue.integer(pick(Self.keys) ?? 0)
    note("key of \(table) \(row.words) = \(key.words)")
    try store.rows("UPDATE \"\(table)\" SET rowid = ?1 WHERE rowid = ?2", [key, row])
  }

  /// Inserts a copy of a row with an unusual key. At most one other value of the copy is changed.
  mutating func insertRow(in store: RawStore) throws {
    let table = try table(of: store)
    let row = try rowid(of: table, store)
    let key = RawValue.integer(pick(Self.keys) ?? 0)
    let columns = try columns(of: table, store)
    let changed = chance(2) ? pick(columns.dropFirst()) : nil
    let values = columns.enumerated().map { $0 == 0 ? "?2" : $1 == changed ? "?3" : "\"\($1)\"" }
    let names = columns.map { "\"\($0)\"" }.joined(separator: ", ")
    note("copy of \(table) \(row.words) at \(key.words), with another \(changed ?? "key")")
    try store.rows(
      "INSERT INTO \"\(table)\" (\(names)) SELECT \(values.joined(separator: ", ")) FROM \"\(table)\" WHERE rowid = ?1",
      changed == nil ? [row, key] : [row, key, value()])
  }

  mutating func removeRows(in store: RawStore) throws {
    let table = try table(of: store)
    let test = pick(["1", "rowid % 2 = 0", "rowid % 3 = 1", "rowid = 1"]) ?? "1"
    note("rows of \(table) removed where \(test)")
    try store.run("DELETE FROM \"\(table)\" WHERE \(test)")
  }

  /// Changes a column of references, so that rows refer to missing rows, to themselves, to each other in a circle, or
  /// all to one row. Or sets a column of list positions to extreme, equal or invalid values.
  mutating func changeReferences(in store: RawStore) throws {
    var candidates: [(String, String, Bool)] = []
    for table in try tables(of: store) {
      let references = Set(
        try store.rows("SELECT \"from\" FROM pragma_foreign_key_list(?1)", [.text(table)]).compactMap { $0[0].string })
      for column in try columns(of: table, store).dropFirst() {
        if references.contains(column) { candidates.append((table, column, true)) }
        if column.contains("position") { candidates.append((table, column, false)) }
      }
    }
    guard let (table, column, isReference) = pick(candidates) else { return }
    let keys = [
      "rowid", "rowid % 3 + 1", "1", "0", "-1", "9223372036854775807", "999", "NULL", "'x'", "1.5", "x'00'",
      "rowid + 1",
    ]
    let places = [
      "1", "NULL", "9e999", "-9e999", "rowid % 2", "-rowid", "'nan'", "1e308", "1e-320", "9223372036854775807", "x''",
      "-9223372036854775808", "-1e308 * (rowid % 2)", "1 + rowid * 1e-16",
    ]
    let new = pick(isReference ? keys : places) ?? "NULL"
    let test = pick(["1", "rowid % 2 = 0", "rowid = 1", "rowid < 5"]) ?? "1"
    note("\(table).\(column) where \(test) = \(new)")
    try store.run("UPDATE \"\(table)\" SET \"\(column)\" = \(new) WHERE \(test)")
  }

  /// Changes, inserts or deletes rows in one of the library's own tables, such as the metadata table.
  mutating func changeMetadata(in store: RawStore) throws {
    guard let table = pick(try tables(of: store).filter { $0.hasPrefix("_osd") && !$0.contains("rtree") }) else {
      return
    }
    let rows = try store.rows("SELECT rowid, * FROM \"\(table)\"")
    let columns = try columns(of: table, store)
    guard let row = pick(rows), let position = columns.indices.randomElement(using: &generator), !chance(6) else {
      var values = columns.map { _ in value() }
      // Inserts names of optional metadata entries, and names of external files that do not exist or belong to other
      // rows.
      if chance(2) { values[0] = .text(pick(Self.notes) ?? "") }
      if values.count > 1, chance(3) {
        values[1] = .text("1 \(pick(["/dev/null", "/dev/zero", "/nowhere", folder.path, path]) ?? "")")
      }
      note("\(table) gets \(values.map(\.words))")
      let places = columns.map { _ in "?" }.joined(separator: ", ")
      try store.rows("INSERT OR REPLACE INTO \"\(table)\" VALUES (\(places))", values)
      return
    }
    if chance(6) {
      note("\(table) loses \(row.dropFirst().map(\.words))")
      try store.rows("DELETE FROM \"\(table)\" WHERE rowid = ?1", [row[0]])
      return
    }
    let position1 = chance(4) ? position : columns.count - 1
    let new = chance(4) ? value(insteadOf: row[position1 + 1]) : mutation(of: row[position1 + 1])
    note("\(table).\(columns[position1]) of \(row[1].words) was mutated")
    try store.rows("UPDATE \"\(table)\" SET \"\(columns[position1])\" = ?1 WHERE rowid = ?2", [new, row[0]])
  }
}
