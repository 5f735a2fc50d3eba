import Foundation
import PersistenceSupport

// Nil orders before every value, as in stores.

/// Compares optionals.
private func compareOptionals<Value>(_ left: Value?, _ right: Value?, _ values: (Value, Value) -> Int) -> Int {
  switch (left, right) {
  case (let left?, let right?): values(left, right)
  case (nil, nil): 0
  case (nil, _): -1
  case (_, nil): 1
  }
}

/// Values ordered by `<`.
struct ComparableKeys<Value: Comparable>: SortKeys {
  let values: [Value?]

  func compare(_ left: Int, _ right: Int) -> Int {
    compareOptionals(values[left], values[right]) { $0 < $1 ? -1 : $1 < $0 ? 1 : 0 }
  }
}

/// Floating-point numbers, with NaN last.
struct NumberKeys: SortKeys {
  let numbers: [Double?]

  func compare(_ left: Int, _ right: Int) -> Int {
    compareOptionals(numbers[left], numbers[right]) { left, right in
      if left.isNaN || right.isNaN { return (left.isNaN ? 1 : 0) - (right.isNaN ? 1 : 0) }
      return left < right ? -1 : left > right ? 1 : 0
    }
  }
}

/// Decimal numbers, with NaN first, as in Foundation.
struct DecimalKeys: SortKeys {
  let numbers: [Decimal?]

  func compare(_ left: Int, _ right: Int) -> Int {
    compareOptionals(numbers[left], numbers[right]) { left, right in
      if left.isNaN || right.isNaN { return (right.isNaN ? 1 : 0) - (left.isNaN ? 1 : 0) }
      return left < right ? -1 : left > right ? 1 : 0
    }
  }
}

/// Strings in the order of stores.
struct FormKeys: SortKeys {
  private let forms: [String?]

  init(texts: [String?]) {
    forms = texts.map { $0.map(StoredText.form) }
  }

  func compare(_ left: Int, _ right: Int) -> Int {
    compareOptionals(forms[left], forms[right]) { StoredText.compare(forms: $0, $1) }
  }
}

/// Strings in a localized order.
struct TextKeys: SortKeys {
  let texts: [String?]
  let order: TextOrder

  func compare(_ left: Int, _ right: Int) -> Int {
    compareOptionals(texts[left], texts[right]) { Int(order.compare($0, $1)) }
  }
}
