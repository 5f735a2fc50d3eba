import CSQLite
import Foundation
import PersistenceSupport

/// SQL functions that return 1 for values that are certainly valid and need no check. Only checks register them.
enum CheckFunctions {
  /// `_osd_is_form(text)`: 1 if a text is certainly in stored form, the normalised form of the texts in columns.
  static let form = "_osd_is_form"
  /// `_osd_is_decimal(text)`: 1 if a text is a decimal in its canonical form.
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
    // Some builds of SQLite omit the JSON functions. For these builds a replacement of `json_valid` is registered.
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
    // For NULL the closure is not called, so no result is set, and the function returns NULL.
    call.withBytes(0) { call.setResult(Int64(test($0) ? 1 : 0)) }
  }
}

/// Recognises the canonical form of a decimal without creating the number: see ``StoredDecimal``.
enum CanonicalDecimal {
  /// The number of digits that every `Decimal` can hold.
  private static let mostDigits = 38
  private static let (minus, plus, point, zero) = (
    UInt8(ascii: "-"), UInt8(ascii: "+"), UInt8(ascii: "."), UInt8(ascii: "0")
  )

  /// Whether a text is `NaN`, or `-?(0|[1-9][0-9]*)(\.[0-9]*[1-9])?` and not -0.
  static func isCanonical(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
    if bytes.elementsEqual("NaN".utf8) { return true }
    let digits = bytes.first == minus ? bytes.dropFirst() : bytes[...]
    let whole = digits.prefix(while: isDigit)
    let fraction = digits.dropFirst(whole.count)
    guard let first = whole.first, first != zero || whole.count == 1 else { return false }
    if fraction.isEmpty { return first != zero || digits.count == bytes.count }
    guard fraction.first == point, fraction.count > 1, let last = fraction.last, last != zero else { return false }
    return fraction.dropFirst().allSatisfy(isDigit)
  }

  /// Whether a `Decimal` can hold all digits of a numeric text.
  static func isExact(_ text: String) -> Bool {
    let digits = text.utf8.prefix { isDigit($0) || [minus, plus, point].contains($0) }.filter(isDigit)
    let significant = digits.drop { $0 == zero }.reversed().drop { $0 == zero }
    return significant.count <= mostDigits
  }

  private static func isDigit(_ byte: UInt8) -> Bool { byte &- zero < 10 }
}
