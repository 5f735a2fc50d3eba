import Foundation
import PersistenceQueries
import PersistenceRuntime

extension Aggregate {
  /// The least value of a property; nil if there are no models. Ours.
  ///
  /// - Parameter keyPath: The property; it may lead through to-one relationships.
  public static func min<Value: Comparable>(of keyPath: KeyPath<Model, Value>) -> Aggregate where Result == Value? {
    extreme(AggregateSource(keyPath), isGreatest: false) { $0 }
  }

  /// The least non-nil value of an optional property; nil if there is none. Ours.
  ///
  /// - Parameter keyPath: The property; it may lead through to-one relationships.
  public static func min<Value: Comparable>(of keyPath: KeyPath<Model, Value?>) -> Aggregate where Result == Value? {
    extreme(AggregateSource(keyPath), isGreatest: false) { $0 }
  }

  /// The least value of an expression; nil if there are no models. Ours.
  ///
  /// - Parameter expression: The expression, evaluated for each model.
  public static func min<Value: Comparable>(of expression: Expression<Model, Value>) -> Aggregate
  where Result == Value? {
    extreme(AggregateSource(expression), isGreatest: false) { $0 }
  }

  /// The least non-nil value of an expression; nil if there is none. Ours.
  ///
  /// - Parameter expression: The expression, evaluated for each model.
  public static func min<Value: Comparable>(of expression: Expression<Model, Value?>) -> Aggregate
  where Result == Value? {
    extreme(AggregateSource(expression), isGreatest: false) { $0 }
  }

  /// The greatest value of a property; nil if there are no models. Ours.
  ///
  /// - Parameter keyPath: The property; it may lead through to-one relationships.
  public static func max<Value: Comparable>(of keyPath: KeyPath<Model, Value>) -> Aggregate where Result == Value? {
    extreme(AggregateSource(keyPath), isGreatest: true) { $0 }
  }

  /// The greatest non-nil value of an optional property; nil if there is none. Ours.
  ///
  /// - Parameter keyPath: The property; it may lead through to-one relationships.
  public static func max<Value: Comparable>(of keyPath: KeyPath<Model, Value?>) -> Aggregate where Result == Value? {
    extreme(AggregateSource(keyPath), isGreatest: true) { $0 }
  }

  /// The greatest value of an expression; nil if there are no models. Ours.
  ///
  /// - Parameter expression: The expression, evaluated for each model.
  public static func max<Value: Comparable>(of expression: Expression<Model, Value>) -> Aggregate
  where Result == Value? {
    extreme(AggregateSource(expression), isGreatest: true) { $0 }
  }

  /// The greatest non-nil value of an expression; nil if there is none. Ours.
  ///
  /// - Parameter expression: The expression, evaluated for each model.
  public static func max<Value: Comparable>(of expression: Expression<Model, Value?>) -> Aggregate
  where Result == Value? {
    extreme(AggregateSource(expression), isGreatest: true) { $0 }
  }

  private static func extreme<Source, Value: Comparable>(
    _ source: AggregateSource<Model, Source>, isGreatest: Bool, unwrap: @escaping (Source) -> Value?
  ) -> Aggregate where Result == Value? {
    let reader = StoredValueReader<Value?>(
      comparedBy: ValueRanks.form(of: Value.self) ?? .stored, wrapping: Value.self)
    return Aggregate(
      columns: { map in
        guard reader != nil else {
          throw UntranslatableExpression("values of type \(Value.self), which no column holds")
        }
        return [AggregateColumn(isGreatest ? .maximum : .minimum, try source.comparedOperand(in: map))]
      },
      makeState: { _ in
        ExtremeState(isGreatest: isGreatest, reader: reader) { unwrap(try source.value(of: $0)) }
      })
  }
}
