import Foundation
import PersistenceRuntime
import PersistenceSupport

/// Maps the order of a type's `<` to an order of stored values.
package enum ValueRanks {
  /// The sort form of a type; nil if only the type itself can compare its values.
  package static func form(of type: any Any.Type) -> SortTerm.Form? {
    let wrapped = (type as? any OptionalValue.Type)?.wrappedType ?? type
    if StorageOrder.isOrdered(wrapped) { return .stored }
    guard let cases = wrapped as? any (Comparable & RawRepresentable).Type else { return nil }
    return form(ofCases: cases)
  }

  /// The order of an enum's cases, which may differ from that of the raw values.
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

  /// The value with a rank, or one of several equal ones.
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

  /// Whether the raw values have the same order, so that an index on them is usable.
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
    // In stored form, which has no U+0000.
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
