import Foundation

/// Finds all key paths in a predicate.
///
/// Uses reflection, because untranslatable nodes have no other traversal. Slow: used only before an in-memory
/// evaluation that might silently decrypt values.
package enum PredicateKeyPaths {
  package static func all<Model>(in predicate: Predicate<Model>) -> [AnyKeyPath] {
    var found: [AnyKeyPath] = []
    visit(predicate.expression, &found)
    return found
  }

  private static func visit(_ value: Any, _ found: inout [AnyKeyPath]) {
    if let keyPath = value as? AnyKeyPath {
      found.append(keyPath)
      return
    }
    if let list = value as? any ExpressionList {
      for expression in list.expressions { visit(expression, &found) }
      return
    }
    let mirror = Mirror(reflecting: value)
    // Captured values may be of any type and size, and are skipped unless they are predicates.
    let isPart = value is any PredicateExpression || mirror.displayStyle == .tuple || isPredicate(value)
    guard isPart else { return }
    for child in mirror.children { visit(child.value, &found) }
  }

  /// Whether a value is a predicate or an expression with any inputs.
  private static func isPredicate(_ value: Any) -> Bool {
    let name = "\(type(of: value))"
    return name.hasPrefix("Predicate<") || name.hasPrefix("Expression<")
  }
}
