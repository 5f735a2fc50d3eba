import SQLEngine

/// Where values have their place on an axis of an R*Tree, by the form in which their column has them.
///
/// A place is an interval that is never too small. Values that come one after the other have intervals that do, for rows
/// and for bounds alike, so that no row is missed whose value is between bounds.
struct CoordinateForm {
  private let form: SpatialIndexMapping.Dimension.Form

  init(_ form: SpatialIndexMapping.Dimension.Form) { self.form = form }

  /// The lower end of the interval of a value.
  func least(_ value: String) -> String {
    switch form {
    case .number: value
    case .unsigned: "CASE typeof(\(value)) WHEN 'blob' THEN \(Self.leading(value)) ELSE \(value) END"
    case .decimal: Self.decimal(value, "-")
    }
  }

  /// The upper end of the interval of a value.
  func greatest(_ value: String) -> String {
    switch form {
    case .number: value
    case .unsigned:
      "CASE typeof(\(value)) WHEN 'blob' THEN \(Self.leading(value)) + \(Self.unit) ELSE \(value) END"
    case .decimal: Self.decimal(value, "+")
    }
  }

  /// Whether a row has a place on the axis by a column.
  func hasCoordinate(_ column: String) -> String {
    switch form {
    // Not-a-number is stored as text.
    case .number: "typeof(\(column)) IN ('integer', 'real')"
    case .unsigned: "typeof(\(column)) IN ('integer', 'blob')"
    case .decimal: "typeof(\(column)) = 'text'"
    }
  }

  /// A value as a plain index has it, and as one side of a comparison by order.
  func indexed(_ value: String) -> String { form == .decimal ? SQLiteDialect().key(ofDecimal: value) : value }

  // MARK: Bytes

  /// 2 to the 40th: what one more in the leading 24 of 64 bits is worth. A tree's numbers have no more bits.
  private static let unit = "1099511627776.0"

  /// The number of the leading 24 bits of 8 bytes. SQLite has no other way from bytes to a number than their digits.
  private static func leading(_ bytes: String) -> String {
    let digits = (0..<6).map { place in
      let digit = "(instr('0123456789ABCDEF', substr(hex(\(bytes)), \(place + 1), 1)) - 1)"
      return "\(digit) * \(1 << (4 * (5 - place)))"
    }
    return "(\(digits.joined(separator: " + "))) * \(unit)"
  }

  // MARK: Decimals

  /// A decimal's number as far as SQLite knows it from its digits, and more than it can be wrong. Not-a-number comes before all
  /// numbers.
  private static func decimal(_ text: String, _ sign: String) -> String {
    let number = "CAST(\(text) AS REAL)"
    return "CASE WHEN \(text) = 'NaN' THEN -1e38 ELSE \(number) \(sign) abs(\(number)) * 1e-12 END"
  }
}
