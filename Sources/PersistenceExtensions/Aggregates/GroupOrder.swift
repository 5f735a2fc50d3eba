import PersistenceQueries
import PersistenceRuntime
import PersistenceSupport

/// Sorts group keys; nil comes first. If the type of the keys has no order, the keys stay in their present order.
enum GroupOrder {
  static func sorted<Key: Hashable>(_ keys: [Key]) -> [Key] {
    let wrapped = (Key.self as? any OptionalValue.Type)?.wrappedType ?? Key.self
    guard let keysToCompare = comparable(keys, wrapped) else { return keys }
    return keys.indices.sorted { left, right in
      let comparison = keysToCompare.compare(left, right)
      return comparison == 0 ? left < right : comparison < 0
    }.map { keys[$0] }
  }

  private static func comparable<Key>(_ keys: [Key], _ wrapped: any Any.Type) -> (any SortKeys)? {
    func make<Value: Comparable>(_ type: Value.Type) -> any SortKeys {
      StoredKeys(values: keys.map { unwrapped($0) as? Value })
    }
    func makeRaw<Value: RawRepresentable>(_ type: Value.Type) -> (any SortKeys)? {
      comparable(keys.map { (unwrapped($0) as? Value)?.rawValue }, Value.RawValue.self)
    }
    if let type = wrapped as? any Comparable.Type { return make(type) }
    if wrapped == Bool.self { return StoredKeys(values: keys.map { (unwrapped($0) as? Bool)._$rank }) }
    return RawStorage.type(of: wrapped).flatMap { makeRaw($0) }
  }

  private static func unwrapped<Value>(_ value: Value) -> Any? {
    if let optional = value as? any OptionalValue { return optional.wrappedValue }
    return value
  }
}

/// Group keys that are compared in the same way as in the store.
private struct StoredKeys<Value: Comparable>: SortKeys {
  let values: [Value?]

  func compare(_ left: Int, _ right: Int) -> Int {
    switch (values[left], values[right]) {
    case (let left?, let right?): StoredOrder.compare(left, right)
    case (nil, nil): 0
    case (nil, _): -1
    case (_, nil): 1
    }
  }
}
