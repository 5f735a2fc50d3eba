/// The lossless conversions between numeric types, which need no code.
enum NumericWidening {
  /// Whether a numeric type widens to another one.
  static func widens(_ old: String, to new: String) -> Bool {
    guard old != new, let from = extents[old], let to = extents[new] else { return false }
    return switch (from, to) {
    case (.signed(let bits), .signed(let wider)): bits <= wider
    case (.unsigned(let bits), .unsigned(let wider)): bits <= wider
    case (.unsigned(let bits), .signed(let wider)): bits < wider
    case (.signed(let bits), .real(let digits)), (.unsigned(let bits), .real(let digits)):
      // A 64-bit integer may lose digits: the store checks its rows.
      digits == 53 || bits <= digits
    case (.real(let digits), .real(let wider)): digits <= wider
    case (.signed, .decimal), (.unsigned, .decimal): true
    default: false
    }
  }

  /// Whether a Double rounds some values of an integer type.
  static func mayRound(_ old: String) -> Bool {
    switch extents[old] {
    case .signed(64), .unsigned(64): true
    default: false
    }
  }

  private enum Extent {
    case signed(Int)
    case unsigned(Int)
    /// A floating-point type with a number of significant bits.
    case real(Int)
    case decimal
  }

  private static let extents: [String: Extent] = [
    "Int8": .signed(8), "Int16": .signed(16), "Int32": .signed(32), "Int64": .signed(64), "Int": .signed(64),
    "UInt8": .unsigned(8), "UInt16": .unsigned(16), "UInt32": .unsigned(32), "UInt64": .unsigned(64),
    "UInt": .unsigned(64), "Float": .real(24), "Double": .real(53), "Decimal": .decimal,
  ]
}
