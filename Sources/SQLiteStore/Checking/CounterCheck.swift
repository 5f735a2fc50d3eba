import PersistenceRuntime
import PersistenceSchemas
import SQLEngine

/// Checks the sequences that number rows, pairs of link tables and external files. The next number of a sequence must
/// be greater than all numbers in use.
///
/// A new key is always greater than all keys in the table, even if the sequence is too low. But then the key of a
/// deleted row could be reused, and old identifiers of the deleted row would match the new row.
struct CounterCheck: CheckStep {
  let database: DatabaseMapping
  var tables: [String] { [StoreFormat.sequenceTable] }

  func run(in check: StoreCheck) throws {
    for table in database.tables where !table.isShared {
      try look(at: table.sequenceName, of: table.name, in: check)
    }
    for (_, link) in database.definedLinks { try look(at: link.name, of: link.name, in: check) }
    try lookAtFiles(in: check)
  }

  private func look(at counter: String, of table: String, in check: StoreCheck) throws {
    guard !check.unusableTables.contains(table) else { return }
    let greatest = RowStatements(dialect: check.dialect).greatestKey(ofTableNamed: table)
    guard let last = try check.handle.number(greatest) else { return }
    guard last < .max else {
      check.log.add(
        .counter, table: table, key: last, "the row has the greatest key that there is, so that no row can be added",
        advice: "Give the row a lower key, and everything that refers to it, by SQL", repair: .impossible)
      return
    }
    try raise(counter, above: last, table, in: check)
  }

  /// Checks the sequence of file numbers. If it is too low, files of committed rows look like leftovers of a crash.
  private func lookAtFiles(in check: StoreCheck) throws {
    guard check.externalFolder != nil else { return }
    var last: Int64 = 0
    for sql in database.externalReferences {
      try check.rows(sql) { row in
        if let reference = row.text(0).flatMap(ExternalReference.init) { last = max(last, reference.number) }
      }
    }
    if last < .max { try raise(ExternalTables.sequence, above: last, nil, in: check) }
  }

  private func raise(_ counter: String, above last: Int64, _ table: String?, in check: StoreCheck) throws {
    guard let found = try value(of: counter, in: check) ?? (last > 0 ? .integer(1) : nil) else { return }
    if case .integer(let next) = found, next > last, next > 0 { return }
    let wanted = max(last, 0) + 1
    if check.isRepairing {
      try check.run(
        "INSERT OR REPLACE INTO \(StoreFormat.sequenceTable) VALUES (?1, ?2)", .text(counter), .integer(wanted))
    }
    check.log.add(
      .counter, table: table ?? StoreFormat.sequenceTable, value: found.shortened,
      "the next number of '\(counter)' would be \(found.shortened), and \(last) is in use",
      advice: check.isRepairing ? "It was raised to \(wanted)" : "It can be raised to \(wanted)", repair: check.repair)
  }

  private func value(of counter: String, in check: StoreCheck) throws -> StoredValue? {
    var value: StoredValue?
    try check.rows("SELECT next FROM \(StoreFormat.sequenceTable) WHERE entity = ?1", .text(counter)) {
      value = $0.value(0)
    }
    return value
  }
}
