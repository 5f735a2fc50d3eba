import Foundation
import PersistenceSupport

// Nil comes before every value, as in the stores.

/// Compares what may be nil.
private func compareOptionals<Value>(_ left: Value?, _ right: Value?, _ values: (Value, Value) -> Int) -> Int {
  switch (left, right) {
  case (let left?, let right?): values(left, right)
  case (nil, nil): 0
  case (nil, _): -1
  case (_, nil): 1
  }
}

/// Values of any type, by its `<`.
struct ComparableKeys<Value: Comparable>: SortKeys {
  let values: [Value?]

  func compare(_ left: Int, _ right: Int) -> Int {
    compareOptionals(values[left], values[right]) { $0 < $1 ? -1 : $1 < $0 ? 1 : 0 }
  }
}

/// Floating-point numbers; not-a-number comes after all others.
struct NumberKeys: SortKeys {
  let numbers: [Double?]

  func compare(_ left: Int, _ right: Int) -> Int {
    compareOptionals(numbers[left], numbers[right]) { left, right in
      if left.isNaN || right.isNaN { return (left.isNaN ? 1 : 0) - (right.isNaN ? 1 : 0) }
      return left < right ? -1 : left > right ? 1 : 0
    }
  }
}

/// Decimal numbers; not-a-number comes before all others, as Foundation has it.
struct DecimalKeys: SortKeys {
  let numbers: [Decimal?]

  func compare(_ left: Int, _ right: Int) -> Int {
    compareOptionals(numbers[left], numbers[right]) { left, right in
      if left.isNaN || right.isNaN { return (right.isNaN ? 1 : 0) - (left.isNaN ? 1 : 0) }
      return left < right ? -1 : left > right ? 1 : 0
    }
  }
}

/// Texts as people order them.
struct TextKeys: SortKeys {
  let texts: [String?]
  let order: TextOrder

  func compare(_ left: Int, _ right: Int) -> Int {
    compareOptionals(texts[left], texts[right]) { Int(order.compare($0, $1)) }
  }
}
