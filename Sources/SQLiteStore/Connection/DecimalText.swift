import CSQLite
import Foundation
import PersistenceRuntime
import PersistenceSupport

/// A decimal number that is parsed from a text without copying the text.
///
/// The text has an optional sign, digits with at most one point, and an optional exponent.
struct DecimalText {
  private let bytes: UnsafeRawBufferPointer
  private let isNegative: Bool
  /// The range of the digits from the first nonzero digit on.
  private let significant: Range<Int>
  /// The exponent of the least power of ten that is greater than the number without its sign: 3 for 123, -1 for 0.0123.
  private let magnitude: Int

  private static let point = UInt8(ascii: ".")

  init?(_ bytes: UnsafeRawBufferPointer) {
    var index = 0
    let sign = bytes.first
    if sign == UInt8(ascii: "-") || sign == UInt8(ascii: "+") { index = 1 }
    var start: Int?
    var digitCount = 0
    var magnitude = 0
    var isBehindPoint = false
    while index < bytes.count, let kind = Self.kind(bytes[index]) {
      if kind == .point {
        guard !isBehindPoint else { return nil }
        isBehindPoint = true
      } else {
        digitCount += 1
        if start == nil, kind == .digit { start = index }
        if start != nil, !isBehindPoint { magnitude += 1 }
        if start == nil, isBehindPoint { magnitude -= 1 }
      }
      index += 1
    }
    guard digitCount > 0, let exponent = Self.exponent(bytes[index...]) else { return nil }
    self.bytes = bytes
    self.significant = (start ?? index)..<index
    self.isNegative = sign == UInt8(ascii: "-") && start != nil
    self.magnitude = magnitude + exponent
  }

  func compare(_ other: DecimalText) -> Int32 {
    let (sign, otherSign) = (self.sign, other.sign)
    guard sign == otherSign else { return sign < otherSign ? -1 : 1 }
    guard sign != 0 else { return 0 }
    return sign * (magnitude == other.magnitude ? compareDigits(other) : magnitude < other.magnitude ? -1 : 1)
  }

  private var sign: Int32 { significant.isEmpty ? 0 : isNegative ? -1 : 1 }

  private func compareDigits(_ other: DecimalText) -> Int32 {
    var (index, otherIndex) = (significant.lowerBound, other.significant.lowerBound)
    while true {
      let (digit, otherDigit) = (nextDigit(&index), other.nextDigit(&otherIndex))
      if digit == nil, otherDigit == nil { return 0 }
      let (left, right) = (digit ?? UInt8(ascii: "0"), otherDigit ?? UInt8(ascii: "0"))
      if left != right { return left < right ? -1 : 1 }
    }
  }

  private func nextDigit(_ index: inout Int) -> UInt8? {
    if index < significant.upperBound, bytes[index] == Self.point { index += 1 }
    guard index < significant.upperBound else { return nil }
    defer { index += 1 }
    return bytes[index]
  }

  private enum Kind {
    case point
    case zero
    case digit
  }

  private static func kind(_ byte: UInt8) -> Kind? {
    switch byte {
    case point: .point
    case UInt8(ascii: "0"): .zero
    case UInt8(ascii: "1")...UInt8(ascii: "9"): .digit
    default: nil
    }
  }

  /// Parses the text after the digits as an exponent; nil if the text is no exponent, or one too large for any number.
  private static func exponent(_ rest: Slice<UnsafeRawBufferPointer>) -> Int? {
    guard let mark = rest.first else { return 0 }
    guard mark == UInt8(ascii: "e") || mark == UInt8(ascii: "E"), rest.count < 11 else { return nil }
    return Int(String(decoding: rest.dropFirst(), as: UTF8.self))
  }
}

/// The aggregate function that adds decimals exactly.
///
/// SQLite calls the function for each row, with memory for the state of the sum. At the end it calls the function once
/// more, even if the statement was aborted, and this call frees the state.
enum DecimalSum {
  static let name = "sum_of_decimals"

  /// The sum so far, and whether it is exact.
  private final class State {
    var sum = Decimal()
    var isExact = true

    func add(_ text: UnsafeBufferPointer<UInt8>) {
      guard let value = StoredDecimal.value(of: text) else {
        isExact = false
        return
      }
      var (left, right, result) = (sum, value, Decimal())
      if NSDecimalAdd(&result, &left, &right, .plain) != .noError { isExact = false }
      sum = result
    }
  }

  static func register(on connection: OpaquePointer) -> Int32 {
    sqlite3_create_function_v2(
      connection, name, 1, SQLITE_UTF8 | SQLITE_DETERMINISTIC, nil, nil, { DecimalSum.add($0, $2?[0]) },
      { DecimalSum.finish($0) }, nil)
  }

  private static func add(_ context: OpaquePointer?, _ value: OpaquePointer?) {
    guard let bytes = sqlite3_value_text(value), let storage = storage(in: context, isNew: true) else { return }
    let state = storage.pointee?.takeUnretainedValue() ?? State()
    if storage.pointee == nil { storage.pointee = .passRetained(state) }
    // The text is valid for the duration of the call.
    state.add(UnsafeBufferPointer(start: bytes, count: Int(sqlite3_value_bytes(value))))
  }

  private static func finish(_ context: OpaquePointer?) {
    guard let storage = storage(in: context, isNew: false), let state = storage.pointee?.takeRetainedValue() else {
      return sqlite3_result_null(context)
    }
    storage.pointee = nil
    let text = state.isExact ? StoredDecimal.digits(of: state.sum) : SumAccumulator.inexactText
    // -1 is `SQLITE_TRANSIENT`: SQLite copies the text, and has nothing to free.
    text.withCString { sqlite3_result_text(context, $0, -1, unsafeBitCast(-1, to: sqlite3_destructor_type.self)) }
  }

  /// The memory that SQLite provides for one sum. At first it is filled with zeros.
  private static func storage(
    in context: OpaquePointer?, isNew: Bool
  ) -> UnsafeMutablePointer<Unmanaged<State>?>? {
    let size = isNew ? Int32(MemoryLayout<Unmanaged<State>?>.size) : 0
    return sqlite3_aggregate_context(context, size)?.assumingMemoryBound(to: Unmanaged<State>?.self)
  }
}
