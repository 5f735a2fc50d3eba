import CSQLite
import PersistenceRuntime
import PersistenceSchemas
import PersistenceSupport
import SQLEngine

extension SQLiteMigration {
  /// Runs a statement that changes the table of originals (the exact, not normalised values), unless there are none.
  func runOnOriginals(_ sql: String) throws {
    guard try !connection.tablesWithOriginals().isEmpty else { return }
    try handle.execute(sql)
    // The open transaction does not change the data version, so the list of tables with originals has to be read again.
    handle.originals.version = nil
  }

  /// Runs a statement that stores originals. If another program dropped the table, it is recreated.
  func storeDefaultOriginals(_ sql: String, rows: Int) throws {
    try handle.execute(OriginalsTable.creation)
    try handle.execute(sql)
    handle.originals.version = nil
    try reporter.advance(rows)
  }
}

/// Reads and stores originals (the exact, not normalised values) while a column is encrypted or decrypted.
///
/// An encrypted value contains the original itself, so no unencrypted original is stored for it.
struct ResealedOriginals {
  private let table: String
  private let column: String
  private let connection: SQLiteConnection
  /// True if the column is not encrypted after the migration, so that originals are stored for it.
  private let areKept: Bool
  private let lookUp: SQLiteStatement?

  init(_ reseal: RowReseal, on connection: SQLiteConnection) throws {
    table = reseal.table
    column = reseal.column
    self.connection = connection
    areKept = reseal.new?.isEncrypted != true
    hasTexts = reseal.hasOriginals
    let wasPlain = reseal.old?.isEncrypted != true
    let hasOriginals = try wasPlain && connection.tablesWithOriginals().contains(reseal.table)
    lookUp = try hasOriginals ? SQLiteStatement(OriginalsTable.lookUp, on: connection.handle) : nil
  }

  /// Whether texts in the unencrypted column are normalised, so that their originals are in the table of originals.
  private let hasTexts: Bool

  /// Returns the original of a stored value, and deletes it from the table of originals.
  func value(of stored: StoredValue, row: Int64) throws -> StoredValue {
    guard let lookUp, let original = try original(of: row, lookUp) else { return stored }
    try connection.removeOriginals(ofTableNamed: table, keys: [row], columns: [column])
    switch stored {
    case .text(let form) where form.utf8.elementsEqual(StoredText.form(of: original).utf8): return .text(original)
    case .real(0) where original == OriginalNotes.negativeZero: return .real(-0.0)
    default: return stored
    }
  }

  private func original(of row: Int64, _ lookUp: SQLiteStatement) throws -> String? {
    defer { lookUp.giveBack() }
    try lookUp.bind(table, at: 1)
    try lookUp.bind(row, at: 2)
    while try lookUp.step() {
      if lookUp.text(0) == column { return lookUp.text(1) }
    }
    return nil
  }

  /// Returns the stored form of a value. If the value differs from that form, stores the value as the original.
  func store(_ value: StoredValue, row: Int64) throws -> StoredValue {
    guard areKept else { return value }
    switch value {
    case .text(let text) where hasTexts:
      guard let form = StoredText.differingForm(of: text) else { return value }
      try connection.storeOriginal(text, inTableNamed: table, key: row, column: column)
      return .text(form)
    case .real(let number) where number == 0 && number.sign == .minus:
      try connection.storeOriginal(OriginalNotes.negativeZero, inTableNamed: table, key: row, column: column)
      return .real(0)
    default: return value
    }
  }
}
