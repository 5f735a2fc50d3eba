import Foundation
import PersistenceRuntime
import PersistenceSupport

/// Sorts models in memory in the order of a store.
///
/// Each value is read once, instead of once for each comparison. Unordered values, such as NaN, have the same position
/// as in a store. The sort is stable.
package struct ModelOrder<T: PersistentModel> {
  package let criteria: [SortDescriptor<T>]

  package init(criteria: [SortDescriptor<T>]) {
    self.criteria = criteria
  }

  package func sorted(_ models: [T]) -> [T] {
    guard models.count > 1, !criteria.isEmpty else { return models }
    let keys = criteria.map { (keys: self.keys(of: models, for: $0), isDescending: $0.order == .reverse) }
    let order = models.indices.sorted { left, right in
      for (keys, isDescending) in keys {
        let comparison = keys.compare(left, right)
        if comparison != 0 { return (comparison < 0) != isDescending }
      }
      return left < right
    }
    return order.map { models[$0] }
  }

  private func keys(of models: [T], for criterion: SortDescriptor<T>) -> any SortKeys {
    guard let keyPath = criterion.keyPath else { return DescriptorKeys(models: models, criterion: criterion) }
    let values = PropertyValues(models: models, keyPath: keyPath)
    if let textOrder = criterion.stringComparator?.textOrder, let texts = values.all(String.self) {
      return TextKeys(texts: texts, order: textOrder)
    }
    return values.keys ?? DescriptorKeys(models: models, criterion: criterion)
  }
}

/// The sort keys of models for one criterion.
package protocol SortKeys {
  /// Negative, zero or positive if the first model orders before, equal to or after the second in ascending order.
  func compare(_ left: Int, _ right: Int) -> Int
}

/// Compares models by the descriptor itself, if no other type in this file can compare the values.
private struct DescriptorKeys<T: PersistentModel>: SortKeys {
  private let models: [T]
  // An array with one element. If the descriptor were a stored property, optimised code would refer to a private type
  // of Foundation, and would not link.
  private let forward: [SortDescriptor<T>]

  init(models: [T], criterion: SortDescriptor<T>) {
    self.models = models
    // Always ascending: the caller applies the direction.
    var forward = [criterion]
    forward[0].order = .forward
    self.forward = forward
  }

  func compare(_ left: Int, _ right: Int) -> Int { forward.compare(models[left], models[right]).rawValue }
}

/// The models' values at a key path, as sort keys.
struct PropertyValues<T: PersistentModel> {
  let models: [T]
  let keyPath: PartialKeyPath<T>

  /// The values at the key path, as optionals of a type; nil if they have another type.
  func all<Value>(_ type: Value.Type) -> [Value?]? {
    if let keyPath = keyPath as? KeyPath<T, Value> { return models.map { $0[keyPath: keyPath] } }
    if let keyPath = keyPath as? KeyPath<T, Value?> { return models.map { $0[keyPath: keyPath] } }
    return nil
  }

  /// The sort keys; nil if the values have no order.
  var keys: (any SortKeys)? {
    let declared = type(of: keyPath).valueType
    let wrapped = (declared as? any OptionalValue.Type)?.wrappedType ?? declared
    return floatingKeys(wrapped) ?? otherKeys(wrapped)
  }

  private func floatingKeys(_ type: any Any.Type) -> (any SortKeys)? {
    if type == Double.self { return all(Double.self).map { NumberKeys(numbers: $0) } }
    if type == Float.self { return all(Float.self).map { NumberKeys(numbers: $0.map { $0.map(Double.init) }) } }
    guard type == Date.self else { return nil }
    return all(Date.self).map { NumberKeys(numbers: $0.map { $0?.timeIntervalSinceReferenceDate }) }
  }

  private func otherKeys(_ type: any Any.Type) -> (any SortKeys)? {
    if type == String.self { return all(String.self).map { FormKeys(texts: $0) } }
    if type == Decimal.self { return all(Decimal.self).map { DecimalKeys(numbers: $0) } }
    if type == LocalizedStandardText.self {
      return all(LocalizedStandardText.self).map { TextKeys(texts: $0.map { $0?.text }, order: .localizedStandard) }
    }
    if type == LocalizedText.self {
      return all(LocalizedText.self).map { TextKeys(texts: $0.map { $0?.text }, order: .localized) }
    }
    return (type as? any Comparable.Type).flatMap { comparableKeys($0) }
  }

  private func comparableKeys<Value: Comparable>(_ type: Value.Type) -> (any SortKeys)? {
    all(type).map { ComparableKeys(values: $0) }
  }
}

// Nil orders before every value, the same as in stores.

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

/// Decimal numbers, with NaN first, the same as in Foundation.
struct DecimalKeys: SortKeys {
  let numbers: [Decimal?]

  func compare(_ left: Int, _ right: Int) -> Int {
    compareOptionals(numbers[left], numbers[right]) { left, right in
      if left.isNaN || right.isNaN { return (right.isNaN ? 1 : 0) - (left.isNaN ? 1 : 0) }
      return left < right ? -1 : left > right ? 1 : 0
    }
  }
}

/// Strings ordered as in a store: by the bytes of their stored forms (in normal form C).
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
  private let texts: [String?]
  private let order: TextOrder

  init(texts: [String?], order: TextOrder) {
    // Each text is converted once, instead of for each comparison.
    self.texts = texts.map { $0.map(StoredText.composed) }
    self.order = order
  }

  func compare(_ left: Int, _ right: Int) -> Int {
    compareOptionals(texts[left], texts[right]) { Int(order.compare($0, $1)) }
  }
}

/// Makes a store sort in the order of a type's `<`: by the stored values, or by ranks (positions of an enum's cases).
package enum ValueRanks {
  /// The form in which a store sorts values in the order of `<`; nil if only the type itself can compare its values.
  package static func form(of type: any Any.Type) -> SortTerm.Form? {
    let wrapped = (type as? any OptionalValue.Type)?.wrappedType ?? type
    if StorageOrder.isOrdered(wrapped) { return .stored }
    guard let cases = wrapped as? any (Comparable & RawRepresentable).Type else { return nil }
    return form(ofCases: cases)
  }

  /// The sort form of an enum. The order of the cases by `<` may differ from the order of their raw values.
  private static func form<Value: Comparable & RawRepresentable>(
    ofCases type: Value.Type
  ) -> SortTerm.Form? {
    guard StorageOrder.isOrdered(Value.RawValue.self), let cases = EnumCases.all(of: type)?.sorted() else { return nil }
    var ranked: [RankedValue] = []
    for (index, value) in cases.enumerated() {
      guard let stored = try? QueryValueConversion.convert(value.rawValue), stored.isLiteral else { return nil }
      let isTie = index > 0 && !(cases[index - 1] < value)
      ranked.append(RankedValue(stored, rank: (ranked.last?.rank ?? 0) + (isTie ? 0 : 1)))
    }
    return isStoredOrder(ranked) ? .stored : .ranked(ranked)
  }

  /// The case of an enum that has the given rank; one of them if several equal cases share the rank.
  static func value<Value>(ofRank rank: Int, as type: Value.Type) -> Value? {
    func value<Case: Comparable & RawRepresentable>(_ type: Case.Type) -> Case? {
      var current = 0
      var previous: Case?
      for value in (EnumCases.all(of: type) ?? []).sorted() {
        if previous.map({ $0 < value }) ?? true { current += 1 }
        if current == rank { return value }
        previous = value
      }
      return nil
    }
    return (type as? any (Comparable & RawRepresentable).Type).flatMap { value($0) as? Value }
  }

  /// Whether the raw values are in the order of the ranks. The store can then use an index on the raw values.
  private static func isStoredOrder(_ ranked: [RankedValue]) -> Bool {
    zip(ranked, ranked.dropFirst()).allSatisfy { lower, upper in
      lower.rank < upper.rank && lower.value.isStoredBefore(upper.value)
    }
  }
}

extension QueryValue {
  /// Whether the value can be a literal in a statement of every database.
  fileprivate var isLiteral: Bool {
    switch self {
    case .integer: true
    // The text is in its stored form, in which U+0000 is escaped.
    case .text(_, .text): true
    default: false
    }
  }

  fileprivate func isStoredBefore(_ other: QueryValue) -> Bool {
    switch (self, other) {
    case (.integer(let left), .integer(let right)): left < right
    case (.text(let left, _), .text(let right, _)): left.utf8.lexicographicallyPrecedes(right.utf8)
    default: false
    }
  }
}
