import CSQLite
import Foundation
import PersistenceRuntime
import PersistenceSupport

/// The function that adds decimals, exactly.
///
/// SQLite calls it for each row with a place in which it keeps the sum so far, and once at the end, also for a
/// statement that is given up, which is when the sum is freed.
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

  /// Registers the function on a connection.
  static func register(on connection: OpaquePointer) -> Int32 {
    sqlite3_create_function_v2(
      connection, name, 1, SQLITE_UTF8 | SQLITE_DETERMINISTIC, nil, nil, { DecimalSum.add($0, $2?[0]) },
      { DecimalSum.finish($0) }, nil)
  }

  private static func add(_ context: OpaquePointer?, _ value: OpaquePointer?) {
    guard let bytes = sqlite3_value_text(value), let storage = storage(in: context, isNew: true) else { return }
    let state = storage.pointee?.takeUnretainedValue() ?? State()
    if storage.pointee == nil { storage.pointee = .passRetained(state) }
    // SQLite lends the text for the duration of the call.
    state.add(UnsafeBufferPointer(start: bytes, count: Int(sqlite3_value_bytes(value))))
  }

  private static func finish(_ context: OpaquePointer?) {
    guard let storage = storage(in: context, isNew: false), let state = storage.pointee?.takeRetainedValue() else {
      return sqlite3_result_null(context)
    }
    storage.pointee = nil
    let text = state.isExact ? StoredDecimal.digits(of: state.sum) : SumAccumulator.inexactText
    // SQLite's own way to say that it has to copy the text: a function at -1, which is never called.
    text.withCString { sqlite3_result_text(context, $0, -1, unsafeBitCast(-1, to: sqlite3_destructor_type.self)) }
  }

  /// Where SQLite keeps the state of one sum; zeroed when it is new.
  private static func storage(
    in context: OpaquePointer?, isNew: Bool
  ) -> UnsafeMutablePointer<Unmanaged<State>?>? {
    let size = isNew ? Int32(MemoryLayout<Unmanaged<State>?>.size) : 0
    return sqlite3_aggregate_context(context, size)?.assumingMemoryBound(to: Unmanaged<State>?.self)
  }
}
