import Foundation
import PersistenceQueries
import PersistenceRuntime

/// Something that is calculated over many models, such as how many there are or what their pages add up to.
///
/// A store calculates it, and no model is made. Used with ``ModelContext/aggregate(_:where:_:)`` and
/// ``ModelContext/grouped(by:where:_:)``.
public struct Aggregate<Model: PersistentModel, Result> {
  /// The columns in which a store gives its part.
  let columns: (IdentityMap) throws -> [AggregateColumn]
  let makeState: (IdentityMap) throws -> AggregateState<Model, Result>
  /// Whether what a store calculated and what is in memory can be put together.
  var isMergeable = true
}

// MARK: Counts

extension Aggregate where Result == Int {
  /// How many models there are.
  public static var count: Aggregate {
    Aggregate(
      columns: { _ in [AggregateColumn(.count, nil)] }, makeState: { _ in CountState { _ in true } })
  }

  /// How many models have a value that is not nil.
  public static func count<Value>(of keyPath: KeyPath<Model, Value?>) -> Aggregate {
    count(of: AggregateSource(keyPath))
  }

  /// How many models an expression has a value for that is not nil.
  public static func count<Value>(of expression: Expression<Model, Value?>) -> Aggregate {
    count(of: AggregateSource(expression))
  }

  /// How many different values the models have, nil not counted. Texts are different when their scalars are.
  public static func countDistinct<Value: Hashable>(of keyPath: KeyPath<Model, Value>) -> Aggregate {
    countDistinct(of: AggregateSource(keyPath))
  }

  /// How many different values an expression has, nil not counted.
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
  /// What the values add up to, nil left out; 0 for none. Integers and decimals are exact, or an error.
  public static func sum<Value: Summable>(of keyPath: KeyPath<Model, Value>) -> Aggregate where Result == Value.Sum {
    sum(of: AggregateSource(keyPath))
  }

  /// What an expression adds up to, nil left out; 0 for none.
  public static func sum<Value: Summable>(of expression: Expression<Model, Value>) -> Aggregate
  where Result == Value.Sum {
    sum(of: AggregateSource(expression))
  }

  /// The average of the values that are not nil; nil when there are none.
  public static func average<Value: Summable>(of keyPath: KeyPath<Model, Value>) -> Aggregate
  where Result == Value.Average? {
    average(of: AggregateSource(keyPath))
  }

  /// The average of what an expression gives that is not nil; nil when there is nothing.
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
