import Foundation

/// Compares predicates by their expressions.
///
/// Foundation gives each predicate its own variables. A variable of one predicate corresponds to a variable of the
/// other if both are used at the same positions.
struct PredicateComparison {
  private var counterparts: [PredicateExpressions.VariableID: PredicateExpressions.VariableID] = [:]
  private var taken: Set<PredicateExpressions.VariableID> = []

  static func areEqual<each Input>(_ lhs: Predicate<repeat each Input>?, _ rhs: Predicate<repeat each Input>?) -> Bool {
    guard let lhs, let rhs else { return lhs == nil && rhs == nil }
    var comparison = PredicateComparison()
    return comparison.areEqual(lhs as Any, rhs as Any)
  }

  private mutating func areEqual(_ lhs: Any, _ rhs: Any) -> Bool {
    guard type(of: lhs) == type(of: rhs) else { return false }
    if let lhs = lhs as? PredicateExpressions.VariableID, let rhs = rhs as? PredicateExpressions.VariableID {
      return correspond(lhs, rhs)
    }
    // The `==` of an expression is not used, because it treats the variables of two predicates as different.
    if !(lhs is any PredicateExpression), let lhs = lhs as? any Equatable { return Self.isEqual(lhs, to: rhs) }
    let (left, right) = (Mirror(reflecting: lhs).children, Mirror(reflecting: rhs).children)
    guard left.count == right.count else { return false }
    // If a type has neither parts nor `==`, its values cannot be compared. They are equal only if the type has size 0.
    guard !left.isEmpty else { return lhs is any PredicateExpression || Self.isEmpty(lhs) }
    return zip(left, right).allSatisfy { $0.label == $1.label && areEqual($0.value, $1.value) }
  }

  private mutating func correspond(
    _ lhs: PredicateExpressions.VariableID, _ rhs: PredicateExpressions.VariableID
  ) -> Bool {
    if let known = counterparts[lhs] { return known == rhs }
    guard taken.insert(rhs).inserted else { return false }
    counterparts[lhs] = rhs
    return true
  }

  private static func isEqual<Value: Equatable>(_ lhs: Value, to rhs: Any) -> Bool {
    (rhs as? Value).map { $0 == lhs } ?? false
  }

  private static func isEmpty(_ value: Any) -> Bool {
    func size<Value>(_ value: Value) -> Int { MemoryLayout<Value>.size }
    return _openExistential(value, do: size) == 0
  }
}
