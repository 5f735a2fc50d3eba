import Foundation
import PersistenceQueries
import PersistenceRuntime
import PersistenceSupport

/// The intermediate result of an aggregate. It combines results of the store with the values of models in memory.
class AggregateState<Model: PersistentModel, Result> {
  /// Adds a result row of the store. `column` is the first column of this aggregate.
  func take(_ row: RowReader, from column: Int32) throws {}
  /// Adds a model in memory that the results of the store do not include.
  func take(_ model: Model) throws {}

  func result() throws -> Result {
    throw SwiftDataError(.storeFailure, "an aggregate without a result")
  }
}

/// The number of models, or of models with a non-nil value.
final class CountState<Model: PersistentModel>: AggregateState<Model, Int> {
  private let isCounted: (Model) throws -> Bool
  private var count = 0

  init(isCounted: @escaping (Model) throws -> Bool) {
    self.isCounted = isCounted
  }

  override func take(_ row: RowReader, from column: Int32) {
    unsafe count += Int(row.functions.pointee.integer(row.row, column))
  }

  override func take(_ model: Model) throws {
    if try isCounted(model) { count += 1 }
  }

  override func result() -> Int { count }
}

/// The number of distinct values. Counts of distinct values cannot be added, because two counts may include the same
/// value. So either the store counts the values of all rows, or all values are counted in memory.
final class DistinctCountState<Model: PersistentModel, Value: Hashable>: AggregateState<Model, Int> {
  private let value: (Model) throws -> Value
  private var stored = 0
  private var values: Set<Value> = []

  init(value: @escaping (Model) throws -> Value) {
    self.value = value
  }

  override func take(_ row: RowReader, from column: Int32) {
    unsafe stored += Int(row.functions.pointee.integer(row.row, column))
  }

  override func take(_ model: Model) throws {
    let value = try value(model)
    if (value as? any OptionalValue)?.wrappedValue == nil, Value.self is any OptionalValue.Type { return }
    values.insert(value)
  }

  override func result() -> Int { stored + values.count }
}

final class SumState<Model: PersistentModel, Value: Summable>: AggregateState<Model, Value.Sum> {
  private let value: (Model) throws -> Value
  private var sum = SumAccumulator()

  init(value: @escaping (Model) throws -> Value) {
    self.value = value
  }

  override func take(_ row: RowReader, from column: Int32) throws { try Value._$add(row, column, to: &sum) }
  override func take(_ model: Model) throws { _ = try value(model)._$add(to: &sum) }
  override func result() throws -> Value.Sum { try Value._$sum(sum) }
}

/// The average of the non-nil values; nil if there are none.
final class AverageState<Model: PersistentModel, Value: Summable>: AggregateState<Model, Value.Average?> {
  private let value: (Model) throws -> Value
  private var sum = SumAccumulator()
  private var count = 0

  init(value: @escaping (Model) throws -> Value) {
    self.value = value
  }

  override func take(_ row: RowReader, from column: Int32) throws {
    try Value._$add(row, column, to: &sum)
    unsafe count += Int(row.functions.pointee.integer(row.row, column + 1))
  }

  override func take(_ model: Model) throws {
    if try value(model)._$add(to: &sum) { count += 1 }
  }

  override func result() throws -> Value.Average? { count == 0 ? nil : try Value._$average(sum, of: count) }
}

/// The least or the greatest non-nil value; nil if there is none.
final class ExtremeState<Model: PersistentModel, Value: Comparable>: AggregateState<Model, Value?> {
  private let value: (Model) throws -> Value?
  private let reader: StoredValueReader<Value?>?
  private let isGreatest: Bool
  private var extreme: Value?

  init(isGreatest: Bool, reader: StoredValueReader<Value?>?, value: @escaping (Model) throws -> Value?) {
    self.isGreatest = isGreatest
    self.reader = reader
    self.value = value
  }

  override func take(_ row: RowReader, from column: Int32) throws { take(try reader?.read(row, column) ?? nil) }
  override func take(_ model: Model) throws { take(try value(model)) }
  override func result() -> Value? { extreme }

  private func take(_ value: Value?) {
    guard let value else { return }
    guard let extreme else {
      self.extreme = value
      return
    }
    let comparison = StoredOrder.compare(value, extreme)
    if isGreatest ? comparison > 0 : comparison < 0 { self.extreme = value }
  }
}

// Adds the sums that the store returns. A sum may leave out rows; the values of these rows are added in memory.

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
