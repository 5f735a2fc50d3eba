import Foundation
import PersistenceContext
import PersistenceQueries
import PersistenceRuntime

// Ours: calculations that the store makes. What they say is what a fetch would, changes that are not saved included, as
// with `fetchCount`. What a store cannot calculate is calculated in memory, in batches, with a line in the log.

extension ModelContext {
  /// Calculates over all models that a predicate means, in one statement and without making models.
  ///
  /// - Throws: `SwiftDataError.valueNotStorable` for a sum that its type cannot hold, and what ``fetch(_:)`` throws.
  ///
  /// ```swift
  /// let (trips, days, longest) = try context.aggregate(Trip.self, .count, .sum(of: \.days), .max(of: \.days))
  /// // SELECT count(*), sum_of_integers("days"), max("days") FROM "Trip"
  /// ```
  public func aggregate<T: PersistentModel, each Result>(
    _ model: T.Type, where predicate: Predicate<T>? = nil, _ aggregates: repeat Aggregate<T, each Result>
  ) throws -> (repeat each Result) {
    var groups = try AggregateRun(predicate, in: self).groups(
      by: { AggregateGrouping(operand: nil) { _ in 0 } }, inMemory: { _ in 0 }, repeat each aggregates)
    return try groups.group(of: 0).results
  }

  /// Calculates for each value of a property over the models that have it, in one statement and without making models.
  ///
  /// - Parameter key: The value by which models are put together; it may lead through to-one relationships.
  /// - Returns: The groups in the order of their values, nil first. There is no group without models.
  /// - Throws: `SwiftDataError.valueNotStorable` for a sum that its type cannot hold, and what ``fetch(_:)`` throws.
  ///
  /// ```swift
  /// for (country, (trips, days)) in try context.grouped(by: \Trip.country, .count, .sum(of: \.days)) {
  ///   print(country, trips, days)
  /// }
  /// // SELECT "country", count(*), sum_of_integers("days") FROM "Trip" GROUP BY 1 ORDER BY 1
  /// ```
  public func grouped<T: PersistentModel, Key: Hashable, each Result>(
    by key: KeyPath<T, Key>, where predicate: Predicate<T>? = nil, _ aggregates: repeat Aggregate<T, each Result>
  ) throws -> [(key: Key, values: (repeat each Result))] {
    try grouped(by: AggregateSource(key), where: predicate, repeat each aggregates)
  }

  /// Calculates for each value of an expression over the models that it has the value for.
  public func grouped<T: PersistentModel, Key: Hashable, each Result>(
    by key: Expression<T, Key>, where predicate: Predicate<T>? = nil, _ aggregates: repeat Aggregate<T, each Result>
  ) throws -> [(key: Key, values: (repeat each Result))] {
    try grouped(by: AggregateSource(key), where: predicate, repeat each aggregates)
  }

  private func grouped<T: PersistentModel, Key: Hashable, each Result>(
    by source: AggregateSource<T, Key>, where predicate: Predicate<T>?,
    _ aggregates: repeat Aggregate<T, each Result>
  ) throws -> [(key: Key, values: (repeat each Result))] {
    let run = try AggregateRun(predicate, in: self)
    let groups = try run.groups(
      by: {
        let reader = try source.reader(in: run.map)
        return AggregateGrouping(operand: try source.operand(in: run.map)) { try reader.read($0, 0) }
      }, inMemory: source.value, repeat each aggregates)
    return try groups.results()
  }
}

// MARK: One result

extension ModelContext {
  /// What a number adds up to over all models that a predicate means, nil left out; 0 for none.
  ///
  /// Integers and decimals are added exactly.
  /// - Throws: `SwiftDataError.valueNotStorable` for a sum that its type cannot hold, and what ``fetch(_:)`` throws.
  ///
  /// ```swift
  /// let days = try context.sum(of: \Trip.days, where: #Predicate { $0.country == "NO" })
  /// // SELECT sum_of_integers("days") FROM "Trip" WHERE "country" = ?1
  /// ```
  public func sum<T: PersistentModel, Value: Summable>(
    of keyPath: KeyPath<T, Value>, where predicate: Predicate<T>? = nil
  ) throws -> Value.Sum {
    try aggregate(T.self, where: predicate, .sum(of: keyPath))
  }

  /// What an expression adds up to over all models that a predicate means, nil left out; 0 for none.
  public func sum<T: PersistentModel, Value: Summable>(
    of expression: Expression<T, Value>, where predicate: Predicate<T>? = nil
  ) throws -> Value.Sum {
    try aggregate(T.self, where: predicate, .sum(of: expression))
  }

  /// The average of a number over all models that a predicate means and that have one; nil when there are none.
  public func average<T: PersistentModel, Value: Summable>(
    of keyPath: KeyPath<T, Value>, where predicate: Predicate<T>? = nil
  ) throws -> Value.Average? {
    try aggregate(T.self, where: predicate, .average(of: keyPath))
  }

  /// The average of an expression over all models that a predicate means; nil when there are none.
  public func average<T: PersistentModel, Value: Summable>(
    of expression: Expression<T, Value>, where predicate: Predicate<T>? = nil
  ) throws -> Value.Average? {
    try aggregate(T.self, where: predicate, .average(of: expression))
  }

  /// The least value of a property over all models that a predicate means; nil when there are none.
  public func min<T: PersistentModel, Value: Comparable>(
    of keyPath: KeyPath<T, Value>, where predicate: Predicate<T>? = nil
  ) throws -> Value? {
    try aggregate(T.self, where: predicate, .min(of: keyPath))
  }

  /// The least value that is not nil over all models that a predicate means; nil when there is none.
  @_disfavoredOverload
  public func min<T: PersistentModel, Value: Comparable>(
    of keyPath: KeyPath<T, Value?>, where predicate: Predicate<T>? = nil
  ) throws -> Value? {
    try aggregate(T.self, where: predicate, .min(of: keyPath))
  }

  /// The greatest value of a property over all models that a predicate means; nil when there are none.
  public func max<T: PersistentModel, Value: Comparable>(
    of keyPath: KeyPath<T, Value>, where predicate: Predicate<T>? = nil
  ) throws -> Value? {
    try aggregate(T.self, where: predicate, .max(of: keyPath))
  }

  /// The greatest value that is not nil over all models that a predicate means; nil when there is none.
  @_disfavoredOverload
  public func max<T: PersistentModel, Value: Comparable>(
    of keyPath: KeyPath<T, Value?>, where predicate: Predicate<T>? = nil
  ) throws -> Value? {
    try aggregate(T.self, where: predicate, .max(of: keyPath))
  }

  /// The different values of a property over all models that a predicate means, in order; nil is one of them, the
  /// first.
  ///
  /// ```swift
  /// let countries = try context.distinct(\Trip.country)
  /// // SELECT "country" FROM "Trip" GROUP BY 1 ORDER BY 1
  /// ```
  public func distinct<T: PersistentModel, Value: Hashable>(
    _ keyPath: KeyPath<T, Value>, where predicate: Predicate<T>? = nil
  ) throws -> [Value] {
    try grouped(by: keyPath, where: predicate).map(\.key)
  }

  /// The different values of an expression over all models that a predicate means, in order.
  public func distinct<T: PersistentModel, Value: Hashable>(
    _ expression: Expression<T, Value>, where predicate: Predicate<T>? = nil
  ) throws -> [Value] {
    try grouped(by: expression, where: predicate).map(\.key)
  }
}
