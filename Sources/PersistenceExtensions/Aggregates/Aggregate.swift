import Foundation
import PersistenceQueries
import PersistenceRuntime

/// A value calculated over many models, such as their number or a sum. Ours.
///
/// The store calculates the aggregate without creating models. Pass the aggregate to
/// ``ModelContext/aggregate(_:where:_:)`` or ``ModelContext/grouped(by:where:_:)``.
///
/// ```swift
/// let (trips, days) = try context.aggregate(Trip.self, .count, .sum(of: \.days))
/// // SELECT count(*), sum_of_integers("days") FROM "Trip"
/// ```
public struct Aggregate<Model: PersistentModel, Result> {
  /// Returns the result columns that the store calculates for this aggregate.
  let columns: (IdentityMap) throws -> [AggregateColumn]
  let makeState: (IdentityMap) throws -> AggregateState<Model, Result>
  /// Whether the store's result can be merged with the values of changed and new models.
  var isMergeable = true
}

// MARK: Counts

extension Aggregate where Result == Int {
  /// The number of models. Ours.
  public static var count: Aggregate {
    Aggregate(
      columns: { _ in [AggregateColumn(.count, nil)] }, makeState: { _ in CountState { _ in true } })
  }

  /// The number of models with a non-nil value. Ours.
  ///
  /// - Parameter keyPath: The property; it may lead through to-one relationships.
  public static func count<Value>(of keyPath: KeyPath<Model, Value?>) -> Aggregate {
    count(of: AggregateSource(keyPath))
  }

  /// The number of models for which an expression is not nil. Ours.
  ///
  /// - Parameter expression: The expression, evaluated for each model.
  public static func count<Value>(of expression: Expression<Model, Value?>) -> Aggregate {
    count(of: AggregateSource(expression))
  }

  /// The number of distinct non-nil values of a property. Ours. Texts are compared in the same way as by `==`.
  ///
  /// - Parameter keyPath: The property; it may lead through to-one relationships.
  public static func countDistinct<Value: Hashable>(of keyPath: KeyPath<Model, Value>) -> Aggregate {
    countDistinct(of: AggregateSource(keyPath))
  }

  /// The number of distinct non-nil values of an expression. Ours.
  ///
  /// - Parameter expression: The expression, evaluated for each model.
  public static func countDistinct<Value: Hashable>(of expression: Expression<Model, Value>) -> Aggregate {
    countDistinct(of: AggregateSource(expression))
  }

  private static func count<Value>(of source: AggregateSource<Model, Value?>) -> Aggregate {
    Aggregate(
      columns: { [AggregateColumn(.count, try source.operand(in: $0))] },
      makeState: { _ in CountState { try source.value(of: $0) != nil } })
  }

  private static func countDistinct<Value: Hashable>(of source: AggregateSource<Model, Value>) -> Aggregate {
    Aggregate(
      columns: { [AggregateColumn(.countDistinct, try source.operand(in: $0))] },
      makeState: { _ in DistinctCountState(value: source.value) }, isMergeable: false)
  }
}

// MARK: Sums and averages

extension Aggregate {
  /// The sum of the non-nil values of a property; 0 if there are none. Ours.
  ///
  /// Sums of integers and decimals are exact; a sum outside the range of its type throws.
  /// - Parameter keyPath: The property; it may lead through to-one relationships.
  public static func sum<Value: Summable>(of keyPath: KeyPath<Model, Value>) -> Aggregate where Result == Value.Sum {
    sum(of: AggregateSource(keyPath))
  }

  /// The sum of the non-nil values of an expression; 0 if there are none. Ours.
  ///
  /// - Parameter expression: The expression, evaluated for each model.
  public static func sum<Value: Summable>(of expression: Expression<Model, Value>) -> Aggregate
  where Result == Value.Sum {
    sum(of: AggregateSource(expression))
  }

  /// The average of the non-nil values of a property; nil if there are none. Ours.
  ///
  /// - Parameter keyPath: The property; it may lead through to-one relationships.
  public static func average<Value: Summable>(of keyPath: KeyPath<Model, Value>) -> Aggregate
  where Result == Value.Average? {
    average(of: AggregateSource(keyPath))
  }

  /// The average of the non-nil values of an expression; nil if there are none. Ours.
  ///
  /// - Parameter expression: The expression, evaluated for each model.
  public static func average<Value: Summable>(of expression: Expression<Model, Value>) -> Aggregate
  where Result == Value.Average? {
    average(of: AggregateSource(expression))
  }

  private static func sum<Value: Summable>(of source: AggregateSource<Model, Value>) -> Aggregate
  where Result == Value.Sum {
    Aggregate(
      columns: { [AggregateColumn(.sum, try source.operand(in: $0))] },
      makeState: { _ in SumState(value: source.value) })
  }

  private static func average<Value: Summable>(of source: AggregateSource<Model, Value>) -> Aggregate
  where Result == Value.Average? {
    Aggregate(
      columns: { map in
        let operand = try source.operand(in: map)
        return [AggregateColumn(.sum, operand), AggregateColumn(.count, operand)]
      }, makeState: { _ in AverageState(value: source.value) })
  }
}
