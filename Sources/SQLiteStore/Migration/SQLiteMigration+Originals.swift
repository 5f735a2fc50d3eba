import CSQLite
import PersistenceRuntime
import PersistenceSchemas
import PersistenceSupport
import SQLEngine

extension SQLiteMigration {
  /// Runs a statement on originals, unless the store has none.
  func runOnOriginals(_ sql: String) throws {
    guard try !connection.tablesWithOriginals().isEmpty else { return }
    try handle.execute(sql)
    // Changes of an open transaction do not change the version of the file.
    handle.originals.version = nil
  }

  /// Runs a statement that stores originals. The table is made where another program dropped it.
  func storeDefaultOriginals(_ sql: String, rows: Int) throws {
    try handle.execute(OriginalsTable.creation)
    try handle.execute(sql)
    handle.originals.version = nil
    try reporter.advance(rows)
  }
}

/// The originals of a column whose values are encrypted from now on, or are not any more.
///
/// What is encrypted is the value itself, and no original of it stays readable beside it.
struct ResealedOriginals {
  private let table: String
  private let column: String
  private let connection: SQLiteConnection
  /// Whether values that are plain from now on have originals.
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

  /// Whether plain texts are stored forms.
  private let hasTexts: Bool

  /// The value that a column stands for, which it does not keep an original of any more.
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

  /// The stored form of a value, whose original is stored where it differs.
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
