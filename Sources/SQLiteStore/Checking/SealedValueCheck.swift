import Foundation
import PersistenceRuntime
import PersistenceSchemas
import PersistenceSupport
import SQLEngine

/// The encrypted values in the rows of one table: a key of the configuration decrypts each.
struct SealedValueCheck: CheckStep {
  private let table: SealedTable
  private let entity: String
  var tables: [String] { [table.name] }

  /// Nil when nothing in the table is encrypted.
  init?(_ table: TableMapping) {
    guard let sealed = SealedTable(table) else { return nil }
    self.table = sealed
    entity = table.entity.name
  }

  func run(in check: StoreCheck) throws {
    guard let cipher = check.cipher else { return }
    for (column, outOfRow) in table.columns {
      let quoted = check.quoted(column)
      try check.rows(
        "SELECT \(check.key), \(quoted) FROM \(check.quoted(table.name)) WHERE typeof(\(quoted)) = 'blob'"
      ) { row in
        guard case .blob(let bytes) = row.value(1), !isReadable(bytes, outOfRow, cipher) else { return }
        check.log.add(
          .unreadableCiphertext, entity: entity, table: table.name, key: row.integer(0), column: column,
          value: "\(bytes.count) bytes", "the encrypted value was changed, or is encrypted with another key",
          advice: "Give the key in formerEncryptionKeys, or restore the store from a backup", repair: .impossible)
      }
    }
  }

  private func isReadable(_ bytes: Data, _ outOfRow: OutOfRowValue, _ cipher: any ValueCipher) -> Bool {
    (try? bytes.withUnsafeBytes { try cipher.open($0, entity: outOfRow.entity, property: outOfRow.property) }) != nil
  }
}
