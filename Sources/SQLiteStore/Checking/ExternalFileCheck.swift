import Foundation
import PersistenceRuntime
import PersistenceSchemas
import PersistenceSupport
import SQLEngine

/// Checks the external files of large values: each reference in a row has a file of its own, and each file has a row.
struct ExternalFileCheck: CheckStep {
  let database: DatabaseMapping
  var tables: [String] { [StoreFormat.sequenceTable, ExternalTables.superfluous] }

  /// A reference to an external file, with the row that contains it.
  private struct Reference {
    let table: String
    let column: String
    let key: Int64
    let file: ExternalReference
  }

  func run(in check: StoreCheck) throws {
    guard let folder = check.externalFolder else { return }
    // Files with this number or a higher one may belong to an open transaction of any process.
    let first = try check.connection.nextNumber(of: ExternalTables.sequence) ?? 1
    var known: Set<Int64> = []
    for (table, column) in database.externalColumns where !check.unusableTables.contains(table) {
      try look(at: table, column, folder, &known, in: check)
    }
    try keepListed(known, in: check)
    try removeLeftovers(folder, known: known, first: first, in: check)
  }

  // MARK: References

  private func look(
    at table: String, _ column: String, _ folder: ExternalFolder, _ known: inout Set<Int64>, in check: StoreCheck
  ) throws {
    let (name, key) = (check.quoted(column), check.key)
    let sql =
      "SELECT \(key), \(name) FROM \(check.quoted(table)) WHERE \(key) >= ?1 "
      + "AND \(check.dialect.isExternalReference(name)) ORDER BY \(key) LIMIT ?2"
    try check.batches(sql) { row in
      row.text(1).flatMap(ExternalReference.init).map {
        Reference(table: table, column: column, key: row.integer(0), file: $0)
      }
    } handle: { reference in
      // ``ValueCheck`` reports values that are not references.
      guard let reference else { return }
      if let fault = folder.fault(of: reference.file) {
        try reportMissing(reference, fault, folder, in: check)
      } else if known.contains(reference.file.number) {
        try separate(reference, folder, in: check)
      }
      known.insert(reference.file.number)
    }
  }

  /// Reports a missing file, unless a save has deleted both the reference and the file since the row was read.
  private func reportMissing(
    _ reference: Reference, _ fault: String, _ folder: ExternalFolder, in check: StoreCheck
  ) throws {
    if !check.isRepairing {
      check.connection.endSnapshot()
      try check.connection.beginSnapshot()
      guard try stored(reference, in: check) == reference.file.text, folder.fault(of: reference.file) != nil else {
        return
      }
    }
    check.log.add(
      .missingFile, table: reference.table, key: reference.key, column: reference.column, value: reference.file.text,
      "the file \(folder.path(of: reference.file.number)) with the value \(fault)",
      advice: "Restore the folder \(folder.path) from the backup that the store is from, or set the value anew",
      repair: .impossible)
  }

  private func stored(_ reference: Reference, in check: StoreCheck) throws -> String? {
    var stored: String?
    try check.rows(
      "SELECT \(check.quoted(reference.column)) FROM \(check.quoted(reference.table)) WHERE \(check.key) = ?1",
      .integer(reference.key)
    ) { stored = $0.text(0) }
    return stored
  }

  // MARK: Shared files

  /// A row that was copied by SQL shares the file of another row. Deleting either row would delete the file for both,
  /// so a repair copies the file.
  private func separate(_ reference: Reference, _ folder: ExternalFolder, in check: StoreCheck) throws {
    if check.isRepairing {
      let number = try check.connection.nextExternalNumber(in: folder)
      let copy = ExternalReference(number: number, count: reference.file.count)
      try folder.copy(reference.file, as: number)
      try check.connection.setNextExternalNumber(number + 1)
      try check.run(
        "UPDATE \(check.quoted(reference.table)) SET \(check.quoted(reference.column)) = ?1 WHERE \(check.key) = ?2",
        .text(copy.text), .integer(reference.key))
      // The update fired a trigger that lists the former file for removal, but the other row still needs the file.
      try unlist(reference.file.text, in: check)
    }
    check.log.add(
      .sharedReference, table: reference.table, key: reference.key, column: reference.column,
      value: reference.file.text, "the row refers to the file of another row, which goes with either of them",
      advice: check.isRepairing ? "It got a file of its own" : "It can get a file of its own", repair: check.repair)
  }

  private func unlist(_ reference: String, in check: StoreCheck) throws {
    try check.run("DELETE FROM \(ExternalTables.superfluous) WHERE reference = ?1", .text(reference))
  }

  /// Reports files that are listed for removal although a row references them. A repair deletes them from the list.
  private func keepListed(_ known: Set<Int64>, in check: StoreCheck) throws {
    var listed: [String] = []
    try check.rows("SELECT reference FROM \(ExternalTables.superfluous)") { row in
      let text = row.text(0) ?? ""
      if let reference = ExternalReference(text), known.contains(reference.number) { listed.append(text) }
    }
    for reference in listed where try isReferredTo(reference, in: check) {
      if check.isRepairing { try unlist(reference, in: check) }
      check.log.add(
        .missingFile, table: ExternalTables.superfluous, value: reference,
        "the file is to be removed, though a row refers to it",
        advice: check.isRepairing ? "It stays" : "It can be kept, unless the next save comes first",
        repair: check.repair)
    }
  }

  /// Returns true if a row of the current snapshot references a file. The caller's `known` may be of an older snapshot.
  private func isReferredTo(_ reference: String, in check: StoreCheck) throws -> Bool {
    for (table, column) in database.externalColumns where !check.unusableTables.contains(table) {
      var isFound = false
      let condition = "WHERE \(check.quoted(column)) = ?1 LIMIT 1"
      try check.rows("SELECT 1 FROM \(check.quoted(table)) \(condition)", .text(reference)) { _ in isFound = true }
      if isFound { return true }
    }
    return false
  }

  // MARK: Files without rows

  private func removeLeftovers(
    _ folder: ExternalFolder, known: Set<Int64>, first: Int64, in check: StoreCheck
  ) throws {
    // If the sequence is too low, only a repair, which holds the write lock, can tell leftovers from new files.
    guard first > known.max() ?? 0 || check.isRepairing else { return }
    let next = try check.connection.nextNumber(of: ExternalTables.sequence) ?? 1
    let listed = Set(try check.connection.superfluousFiles().map(\.number))
    for number in folder.numbers().sorted() where !known.contains(number) && !listed.contains(number) {
      // Skips files that this repair has created. A check without the write lock also skips files of open transactions.
      if (first..<max(first, next)).contains(number) || (number >= first && !check.isRepairing) { continue }
      if check.isRepairing { folder.remove(number) }
      check.log.add(
        .leftoverFile, table: folder.path, value: "\(number)", "the file \(folder.path(of: number)) belongs to no row",
        advice: check.isRepairing ? "It was removed" : "It can be removed", repair: check.repair)
    }
  }
}

extension ExternalFolder {
  /// Describes how the file differs from a row's reference, for example if it is missing; nil if it does not differ.
  func fault(of reference: ExternalReference) -> String? {
    do {
      close(try ExternalFile.openToRead(path(of: reference.number), count: reference.count))
      return nil
    } catch {
      return error.description
    }
  }

  /// Copies the file of a value to another number, and flushes the copy to the disk.
  fileprivate func copy(_ reference: ExternalReference, as number: Int64) throws {
    do {
      try ExternalFile.copy(path(of: reference.number), to: path(of: number), count: reference.count)
      try ExternalFile.sync(path(of: number))
      try sync()
    } catch let failure as ExternalFile.Unreadable {
      throw failure.storeError(path(of: reference.number), nothing: "mended")
    } catch let failure as SystemFailure {
      throw failure.storeError {
        "The file of a large value cannot be written to \(self.path(of: number)): \($0). Nothing was mended."
      }
    }
  }
}
