import CSQLiteShim
import Foundation
import PersistenceSupport

/// Calculations, those with decimal numbers by Foundation.
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
