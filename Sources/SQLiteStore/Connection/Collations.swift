import CSQLite
import PersistenceSupport

/// SQLite collations for the locale-aware text orders.
///
/// No table declares these collations, because the order in an index must not depend on the locale of a process.
enum LocaleCollation {
  static func name(of order: TextOrder) -> String {
    switch order {
    case .localized: "LOCALIZED"
    case .localizedStandard: "LOCALIZED_STANDARD"
    }
  }

  static func register(on connection: OpaquePointer) -> Int32 {
    // A C closure cannot capture the order, so the two orders need two closures.
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

  /// Both texts are valid for the duration of the call.
  private static func compare(
    _ left: UnsafeRawPointer?, _ leftCount: Int32, _ right: UnsafeRawPointer?, _ rightCount: Int32, _ order: TextOrder
  ) -> Int32 {
    order.compare(
      UnsafeRawBufferPointer(start: left, count: Int(leftCount)),
      UnsafeRawBufferPointer(start: right, count: Int(rightCount)))
  }
}

/// The collation of decimals that are stored as text. It compares the exact numbers, with any number of digits.
///
/// `1.50` equals `1.5`. Not-a-number is less than all numbers, as in Foundation. Any other text that is not a number is
/// greater than all numbers; such texts are compared by their bytes.
package enum DecimalCollation {
  package static let name = "DECIMAL"

  package static func register(on connection: OpaquePointer) -> Int32 {
    sqlite3_create_collation_v2(
      connection, name, SQLITE_UTF8, nil,
      { _, leftCount, left, rightCount, right in
        // Both texts are valid for the duration of the call.
        let lhs = UnsafeRawBufferPointer(start: left, count: Int(leftCount))
        let rhs = UnsafeRawBufferPointer(start: right, count: Int(rightCount))
        return DecimalCollation.compare(lhs, rhs)
      }, nil)
  }

  /// Returns a number below, equal to or above zero if the first text sorts before, equal to or after the second.
  package static func compare(_ lhs: UnsafeRawBufferPointer, _ rhs: UnsafeRawBufferPointer) -> Int32 {
    let (isUndefined, isOtherUndefined) = (isNotANumber(lhs), isNotANumber(rhs))
    guard !isUndefined, !isOtherUndefined else {
      return isUndefined == isOtherUndefined ? 0 : isUndefined ? -1 : 1
    }
    return switch (DecimalText(lhs), DecimalText(rhs)) {
    case (let left?, let right?): left.compare(right)
    case (.some, nil): -1
    case (nil, .some): 1
    case (nil, nil): compareBytes(lhs, rhs)
    }
  }

  private static func isNotANumber(_ text: UnsafeRawBufferPointer) -> Bool {
    text.count == 3 && text.elementsEqual("NaN".utf8)
  }

  private static func compareBytes(_ lhs: UnsafeRawBufferPointer, _ rhs: UnsafeRawBufferPointer) -> Int32 {
    for (left, right) in zip(lhs, rhs) where left != right { return left < right ? -1 : 1 }
    return lhs.count == rhs.count ? 0 : lhs.count < rhs.count ? -1 : 1
  }
}
