import PersistenceQueries
import PersistenceRuntime
import PersistenceSupport

/// An aggregate that is being made, of what a store calculated and of models in memory.
class AggregateState<Model: PersistentModel, Result> {
  /// Takes what a store calculated, from a column on.
  func take(_ row: RowReader, from column: Int32) throws {}
  /// Takes a model that the store did not see, or saw with other values.
  func take(_ model: Model) throws {}

  func result() throws -> Result {
    throw SwiftDataError(.storeFailure, "an aggregate without a result")
  }
}

/// Counts models, or those that have a value.
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

/// Counts different values. What a store counted and what is in memory cannot be added, so one of them is all there is.
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

/// The average of the values that are not nil; nil when there are none.
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

/// The least or the greatest value that is not nil; nil when there is none.
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
