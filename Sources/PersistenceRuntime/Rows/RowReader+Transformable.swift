import Foundation
import PersistenceSupport

extension RowReader {
  /// Reads a property that a value transformer stores.
  public mutating func transformed<T>(_ position: Int) -> _PersistenceRuntime.Slot<T> {
    guard includes(position) else { return .fault }
    let column = advance()
    do {
      let data = isNull(column) ? nil : Data._$read(self, column)
      return .value(try session.transformers.value(of: data, property: session.entity.properties[position], as: T.self))
    } catch {
      session.failure.record(
        .corruptValue, property: position, key: key, "the transformer cannot read the stored bytes", underlying: error)
      return .fault
    }
  }

  public mutating func refreshTransformed<T>(_ slot: _PersistenceRuntime.Slot<T>, _ position: Int) -> Bool {
    !isKept(position)
  }
}
