import Foundation
import PersistenceContext
import PersistenceQueries
import PersistenceRuntime

// Calculations by the store, which Apple's API lacks. Like `fetchCount`, they include unsaved changes. A calculation
// that the store does not support runs in memory, in batches, and is logged.

extension ModelContext {
  /// Calculates aggregates over the models that match a predicate, with one statement. Ours.
  ///
  /// No models are created. Call it only on the context's actor or thread.
  ///
  /// ```swift
  /// let (trips, days, longest) = try context.aggregate(Trip.self, .count, .sum(of: \.days), .max(of: \.days))
  /// // SELECT count(*), sum_of_integers("days"), max("days") FROM "Trip"
  /// ```
  /// - Parameters:
  ///   - model: The type of the models.
  ///   - predicate: The condition; nil for all models.
  ///   - aggregates: The aggregates.
  /// - Returns: The results, in the order of `aggregates`.
  /// - Throws: `SwiftDataError.valueNotStorable` for a sum outside its type's range, and the errors of ``fetch(_:)``.
  public func aggregate<T: PersistentModel, each Result>(
    _ model: T.Type, where predicate: Predicate<T>? = nil, _ aggregates: repeat Aggregate<T, each Result>
  ) throws -> (repeat each Result) {
    var groups = try AggregateRun(predicate, in: self).groups(
      by: { AggregateGrouping(operand: nil) { _ in 0 } }, inMemory: { _ in 0 }, repeat each aggregates)
    return try groups.group(of: 0).results
  }

  /// Calculates aggregates for each value of a property, with one statement. Ours.
  ///
  /// No models are created. Call it only on the context's actor or thread.
  ///
  /// ```swift
  /// for (country, (trips, days)) in try context.grouped(by: \Trip.country, .count, .sum(of: \.days)) {
  ///   print(country, trips, days)
  /// }
  /// // SELECT "country", count(*), sum_of_integers("days") FROM "Trip" GROUP BY 1 ORDER BY 1
  /// ```
  /// - Parameters:
  ///   - key: The property to group by; it may lead through to-one relationships.
  ///   - predicate: The condition; nil for all models.
  ///   - aggregates: The aggregates.
  /// - Returns: The groups in the order of their keys, nil first. No group is empty.
  /// - Throws: `SwiftDataError.valueNotStorable` for a sum outside its type's range, and the errors of ``fetch(_:)``.
  public func grouped<T: PersistentModel, Key: Hashable, each Result>(
    by key: KeyPath<T, Key>, where predicate: Predicate<T>? = nil, _ aggregates: repeat Aggregate<T, each Result>
  ) throws -> [(key: Key, values: (repeat each Result))] {
    try grouped(by: AggregateSource(key), where: predicate, repeat each aggregates)
  }

  /// Calculates aggregates for each value of an expression, with one statement. Ours.
  ///
  /// - Parameters:
  ///   - key: The expression to group by.
  ///   - predicate: The condition; nil for all models.
  ///   - aggregates: The aggregates.
  /// - Returns: The groups in the order of their keys, nil first. No group is empty.
  /// - Throws: `SwiftDataError.valueNotStorable` for a sum outside its type's range, and the errors of ``fetch(_:)``.
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
  /// The sum of the non-nil values of a property; 0 if there are none. Ours.
  ///
  /// Sums of integers and decimals are exact.
  ///
  /// ```swift
  /// let days = try context.sum(of: \Trip.days, where: #Predicate { $0.country == "NO" })
  /// // SELECT sum_of_integers("days") FROM "Trip" WHERE "country" = ?1
  /// ```
  /// - Parameters:
  ///   - keyPath: The property; it may lead through to-one relationships.
  ///   - predicate: The condition; nil for all models.
  /// - Throws: `SwiftDataError.valueNotStorable` for a sum outside its type's range, and the errors of ``fetch(_:)``.
  public func sum<T: PersistentModel, Value: Summable>(
    of keyPath: KeyPath<T, Value>, where predicate: Predicate<T>? = nil
  ) throws -> Value.Sum {
    try aggregate(T.self, where: predicate, .sum(of: keyPath))
  }

  /// The sum of the non-nil values of an expression; 0 if there are none. Ours.
  ///
  /// - Parameters:
  ///   - expression: The expression, evaluated for each model.
  ///   - predicate: The condition; nil for all models.
  /// - Throws: `SwiftDataError.valueNotStorable` for a sum outside its type's range, and the errors of ``fetch(_:)``.
  public func sum<T: PersistentModel, Value: Summable>(
    of expression: Expression<T, Value>, where predicate: Predicate<T>? = nil
  ) throws -> Value.Sum {
    try aggregate(T.self, where: predicate, .sum(of: expression))
  }

  /// The average of the non-nil values of a property; nil if there are none. Ours.
  ///
  /// - Parameters:
  ///   - keyPath: The property; it may lead through to-one relationships.
  ///   - predicate: The condition; nil for all models.
  /// - Throws: `SwiftDataError.valueNotStorable` for a sum outside its type's range, and the errors of ``fetch(_:)``.
  public func average<T: PersistentModel, Value: Summable>(
    of keyPath: KeyPath<T, Value>, where predicate: Predicate<T>? = nil
  ) throws -> Value.Average? {
    try aggregate(T.self, where: predicate, .average(of: keyPath))
  }

  /// The average of the non-nil values of an expression; nil if there are none. Ours.
  ///
  /// - Parameters:
  ///   - expression: The expression, evaluated for each model.
  ///   - predicate: The condition; nil for all models.
  /// - Throws: `SwiftDataError.valueNotStorable` for a sum outside its type's range, and the errors of ``fetch(_:)``.
  public func average<T: PersistentModel, Value: Summable>(
    of expression: Expression<T, Value>, where predicate: Predicate<T>? = nil
  ) throws -> Value.Average? {
    try aggregate(T.self, where: predicate, .average(of: expression))
  }

  /// The least value of a property; nil if there are no models. Ours.
  ///
  /// - Parameters:
  ///   - keyPath: The property; it may lead through to-one relationships.
  ///   - predicate: The condition; nil for all models.
  /// - Throws: The errors of ``fetch(_:)``.
  public func min<T: PersistentModel, Value: Comparable>(
    of keyPath: KeyPath<T, Value>, where predicate: Predicate<T>? = nil
  ) throws -> Value? {
    try aggregate(T.self, where: predicate, .min(of: keyPath))
  }

  /// The least non-nil value of an optional property; nil if there is none. Ours.
  ///
  /// - Parameters:
  ///   - keyPath: The property; it may lead through to-one relationships.
  ///   - predicate: The condition; nil for all models.
  /// - Throws: The errors of ``fetch(_:)``.
  @_disfavoredOverload
  public func min<T: PersistentModel, Value: Comparable>(
    of keyPath: KeyPath<T, Value?>, where predicate: Predicate<T>? = nil
  ) throws -> Value? {
    try aggregate(T.self, where: predicate, .min(of: keyPath))
  }

  /// The greatest value of a property; nil if there are no models. Ours.
  ///
  /// - Parameters:
  ///   - keyPath: The property; it may lead through to-one relationships.
  ///   - predicate: The condition; nil for all models.
  /// - Throws: The errors of ``fetch(_:)``.
  public func max<T: PersistentModel, Value: Comparable>(
    of keyPath: KeyPath<T, Value>, where predicate: Predicate<T>? = nil
  ) throws -> Value? {
    try aggregate(T.self, where: predicate, .max(of: keyPath))
  }

  /// The greatest non-nil value of an optional property; nil if there is none. Ours.
  ///
  /// - Parameters:
  ///   - keyPath: The property; it may lead through to-one relationships.
  ///   - predicate: The condition; nil for all models.
  /// - Throws: The errors of ``fetch(_:)``.
  @_disfavoredOverload
  public func max<T: PersistentModel, Value: Comparable>(
    of keyPath: KeyPath<T, Value?>, where predicate: Predicate<T>? = nil
  ) throws -> Value? {
    try aggregate(T.self, where: predicate, .max(of: keyPath))
  }

  /// The distinct values of a property, in ascending order, nil first. Ours.
  ///
  /// ```swift
  /// let countries = try context.distinct(\Trip.country)
  /// // SELECT "country" FROM "Trip" GROUP BY 1 ORDER BY 1
  /// ```
  /// - Parameters:
  ///   - keyPath: The property; it may lead through to-one relationships.
  ///   - predicate: The condition; nil for all models.
  /// - Returns: Each value once.
  /// - Throws: The errors of ``fetch(_:)``.
  public func distinct<T: PersistentModel, Value: Hashable>(
    _ keyPath: KeyPath<T, Value>, where predicate: Predicate<T>? = nil
  ) throws -> [Value] {
    try grouped(by: keyPath, where: predicate).map(\.key)
  }

  /// The distinct values of an expression, in ascending order, nil first. Ours.
  ///
  /// - Parameters:
  ///   - expression: The expression, evaluated for each model.
  ///   - predicate: The condition; nil for all models.
  /// - Returns: Each value once.
  /// - Throws: The errors of ``fetch(_:)``.
  public func distinct<T: PersistentModel, Value: Hashable>(
    _ expression: Expression<T, Value>, where predicate: Predicate<T>? = nil
  ) throws -> [Value] {
    try grouped(by: expression, where: predicate).map(\.key)
  }
}
