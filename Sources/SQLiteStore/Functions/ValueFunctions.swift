import CSQLite
import CSQLiteShim
import Foundation
import PersistenceRuntime
import PersistenceSupport
import SQLEngine

/// The SQL functions in Swift: locale-aware text comparison, regular expressions, and elements of JSON.
///
/// Texts in columns and parameters have escapes for U+0000 and U+0001 (the stored form). The functions remove these.
enum ValueFunctions {
  static func register(on connection: OpaquePointer) -> Int32 {
    typealias Function = @convention(c) (OpaquePointer?, Int32, UnsafeMutablePointer<OpaquePointer?>?) -> Void
    let entries: [(String, Int32, Function)]
    entries = [
      ("_osd_compare", 3, { context, _, arguments in ValueFunctions.compare(FunctionCall(context, arguments)) }),
      ("_osd_elements", 2, { context, _, arguments in ValueFunctions.elements(FunctionCall(context, arguments)) }),
      ("_osd_contains_regex", 2, { context, _, arguments in ValueFunctions.regex(FunctionCall(context, arguments)) }),
      ("_osd_form", 1, { context, _, arguments in ValueFunctions.form(FunctionCall(context, arguments)) }),
      ("_osd_decimal", 1, { context, _, arguments in ValueFunctions.decimal(FunctionCall(context, arguments)) }),
      ("_osd_value", 3, { context, _, arguments in ValueFunctions.value(FunctionCall(context, arguments)) }),
    ]
    let flags = SQLITE_UTF8 | SQLITE_DETERMINISTIC | SQLITE_INNOCUOUS
    for (name, count, function) in entries {
      let code = sqlite3_create_function_v2(connection, name, count, flags, nil, function, nil, nil, nil)
      guard code == SQLITE_OK else { return code }
    }
    return SQLITE_OK
  }

  /// `_osd_compare(comparison, left, right)`: -1, 0 or 1, the order of two texts in a locale-aware comparison.
  private static func compare(_ call: FunctionCall) {
    guard let comparison = TextComparison(rawValue: UInt8(truncatingIfNeeded: call.integer(0))),
      let left = call.original(1), let right = call.original(2)
    else { return }
    call.setResult(Int64(LocalizedComparison.compare(left, right, comparison).rawValue))
  }

  /// `_osd_contains_regex(text, expression)`: 1 if a part of the text matches the regular expression, otherwise 0.
  private static func regex(_ call: FunctionCall) {
    guard let text = call.original(0) else { return }
    // A regular expression is not stored in a column, so it is bound as written and not converted.
    let expression = call.object(for: 1) { call.text(1).flatMap(CompiledRegex.init) }
    guard let expression else { return call.fail("a regular expression that does not compile") }
    call.setResult(Int64(text.contains(expression.regex) ? 1 : 0))
  }

  /// `_osd_form(text)`: JSON with normalised texts. JSON itself escapes U+0000 and U+0001, so no escapes are added.
  private static func form(_ call: FunctionCall) {
    var form: String?
    call.withBytes(0) { bytes in
      guard !StoredText.isSurelyStored(bytes) else { return }
      form = StoredText.differingForm(of: String(decoding: bytes, as: UTF8.self))
    }
    if let form { call.setResult(form) } else { call.setResult(ofArgument: 0) }
  }

  /// `_osd_decimal(number)`: the digits of an integer. An integer above SQLite's range is a blob.
  private static func decimal(_ call: FunctionCall) {
    let isBlob = call.isBlob(0)
    call.withBytes(0) { bytes in
      call.setResult(
        isBlob && bytes.count == 8
          ? "\(bytes.reduce(UInt64(0)) { $0 << 8 | UInt64($1) })" : String(decoding: bytes, as: UTF8.self))
    }
  }

  /// `_osd_elements(form, text)`: a list of the elements of a JSON array, or of the values of a JSON object.
  private static func elements(_ call: FunctionCall) {
    guard let form = ElementForm(rawValue: UInt8(truncatingIfNeeded: call.integer(0))) else { return }
    call.withBytes(1) { bytes in
      var elements = JSONElements(bytes, form: form)
      guard let list = elements.list() else { return call.fail("the text of a collection is no JSON array") }
      call.setResult(list.bytes)
    }
  }

  /// `_osd_value(form, text, key)`: the value of a JSON object for a key; NULL if the key is absent.
  private static func value(_ call: FunctionCall) {
    guard let form = ElementForm(rawValue: UInt8(truncatingIfNeeded: call.integer(0))),
      let key = call.original(2)
    else { return }
    call.withBytes(1) { bytes in
      var elements = JSONElements(bytes, form: form)
      switch elements.value(forKey: key) {
      case .integer(let number): call.setResult(number)
      case .real(let number): call.setResult(number)
      case .text(let text, _): call.setResult(text)
      case .blob(let data, _): call.setResult(Array(data))
      case .null, .list, .identifier: break
      }
    }
  }
}

/// A compiled regular expression. SQLite frees it when no statement uses it any more.
private final class CompiledRegex {
  let regex: Regex<AnyRegexOutput>

  init?(_ expression: String) {
    guard let regex = try? Regex(expression) else { return nil }
    self.regex = regex
  }
}

/// Registers the SQL function for arithmetic. Foundation calculates decimals.
enum DecimalCalculation {
  static func register(on connection: OpaquePointer) -> Int32 {
    osd_sqlite_register_calculation(connection) { operation, left, leftCount, right, rightCount, buffer, capacity in
      guard let left = DecimalCalculation.number(left, leftCount),
        let right = DecimalCalculation.number(right, rightCount),
        let result = DecimalCalculation.calculate(operation, left, right)
      else { return -1 }
      let text = StoredDecimal.digits(of: result).utf8
      guard let buffer, text.count <= capacity else { return -1 }
      for (index, byte) in text.enumerated() { buffer[index] = byte }
      return text.count
    }
  }

  private static func calculate(_ operation: Int32, _ lhs: Decimal, _ rhs: Decimal) -> Decimal? {
    switch operation {
    case 0: lhs + rhs
    case 1: lhs - rhs
    case 2: lhs * rhs
    default: nil
    }
  }

  private static func number(_ bytes: UnsafePointer<UInt8>?, _ count: Int) -> Decimal? {
    StoredDecimal.value(of: UnsafeBufferPointer(start: bytes, count: count))
  }
}
