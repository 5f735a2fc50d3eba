// Adds the sums of the store, which may be partial.

import Foundation
import PersistenceRuntime
import PersistenceSupport

extension SumAccumulator {
  mutating func addInteger(_ row: RowReader, _ column: Int32) throws {
    switch row.storageClass(column) {
    case .integer: unsafe integer += Int128(row.functions.pointee.integer(row.row, column))
    case .text:
      guard let value = String._$read(row, column).flatMap({ Int128($0) }) else { throw Self.unreadable }
      integer += value
    case .null: break
    case .real, .blob, nil: throw Self.unreadable
    }
  }

  mutating func addReal(_ row: RowReader, _ column: Int32) {
    if row.storageClass(column) != .null { add(Double._$read(row, column) ?? .nan) }
  }

  mutating func addDecimal(_ row: RowReader, _ column: Int32) throws {
    guard let text = String._$read(row, column) else { return }
    if text == Self.inexactText {
      isInexact = true
    } else if let value = Decimal._$read(row, column) {
      add(value)
    } else {
      throw Self.unreadable
    }
  }

  private static var unreadable: SwiftDataError {
    SwiftDataError(
      .corruptValue, "the store's sum is not a number; a column holds a value that its property cannot hold")
  }
}
