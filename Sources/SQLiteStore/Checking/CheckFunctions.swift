import CSQLite
import Foundation
import PersistenceSupport

/// The functions by which the statements of a check pass over values that are surely well. No other connection has them.
enum CheckFunctions {
  /// `_osd_is_form(text)`: 1 if a text surely is in stored form.
  static let form = "_osd_is_form"
  /// `_osd_is_decimal(text)`: 1 if a text is a decimal number in its one form.
  static let decimal = "_osd_is_decimal"

  private typealias Function =
    @convention(c) (OpaquePointer?, Int32, UnsafeMutablePointer<OpaquePointer?>?) -> Void

  static func register(on connection: OpaquePointer) -> Int32 {
    let code = register(form, on: connection) { context, _, arguments in
      CheckFunctions.answer(context, arguments) { StoredText.isSurelyStored($0) }
    }
    guard code == SQLITE_OK else { return code }
    let other = register(decimal, on: connection) { context, _, arguments in
      CheckFunctions.answer(context, arguments) { CanonicalDecimal.isCanonical($0) }
    }
    // Some builds of SQLite leave the functions on JSON out.
    guard other == SQLITE_OK, sqlite3_exec(connection, "SELECT json_valid('1')", nil, nil, nil) != SQLITE_OK else {
      return other
    }
    return register("json_valid", on: connection) { context, _, arguments in
      CheckFunctions.answer(context, arguments) { ValueRule.isJSON(Data($0)) }
    }
  }

  private static func register(_ name: String, on connection: OpaquePointer, _ function: Function) -> Int32 {
    sqlite3_create_function_v2(
      connection, name, 1, SQLITE_UTF8 | SQLITE_DETERMINISTIC, nil, function, nil, nil, nil)
  }

  private static func answer(
    _ context: OpaquePointer?, _ arguments: UnsafeMutablePointer<OpaquePointer?>?,
    _ test: (UnsafeBufferPointer<UInt8>) -> Bool
  ) {
    let call = FunctionCall(context, arguments)
    // No result, which is NULL, for NULL.
    call.withBytes(0) { call.setResult(Int64(test($0) ? 1 : 0)) }
  }
}
