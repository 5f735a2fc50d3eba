import CSQLite
import PersistenceSupport

/// The orders of texts that people read, as collations of SQLite.
///
/// No table is declared with one: they depend on the locale of the process, and an index must not.
enum LocaleCollation {
  static func name(of order: TextOrder) -> String {
    switch order {
    case .localized: "LOCALIZED"
    case .localizedStandard: "LOCALIZED_STANDARD"
    }
  }

  /// Registers the collations on a connection.
  static func register(on connection: OpaquePointer) -> Int32 {
    // A closure for C captures nothing, so each order has its own.
    let code = sqlite3_create_collation_v2(
      connection, name(of: .localized), SQLITE_UTF8, nil,
      { _, leftCount, left, rightCount, right in
        LocaleCollation.compare(left, leftCount, right, rightCount, .localized)
      }, nil)
    guard code == SQLITE_OK else { return code }
    return sqlite3_create_collation_v2(
      connection, name(of: .localizedStandard), SQLITE_UTF8, nil,
      { _, leftCount, left, rightCount, right in
        LocaleCollation.compare(left, leftCount, right, rightCount, .localizedStandard)
      }, nil)
  }

  /// SQLite lends both texts for the duration of the call.
  private static func compare(
    _ left: UnsafeRawPointer?, _ leftCount: Int32, _ right: UnsafeRawPointer?, _ rightCount: Int32, _ order: TextOrder
  ) -> Int32 {
    order.compare(
      UnsafeRawBufferPointer(start: left, count: Int(leftCount)),
      UnsafeRawBufferPointer(start: right, count: Int(rightCount)))
  }
}
