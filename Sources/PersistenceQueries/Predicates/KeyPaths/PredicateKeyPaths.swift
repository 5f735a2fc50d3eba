import Foundation

/// The key paths that a predicate contains, wherever they are.
///
/// By reflection, because the part of a predicate that has no translation cannot be walked in any other way. Slow, and
/// used only where a predicate that memory is to evaluate might read what must not be read silently.
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
    // Not into captured values, which can be anything and of any size, but for predicates.
    let isPart = value is any PredicateExpression || mirror.displayStyle == .tuple || isPredicate(value)
    guard isPart else { return }
    for child in mirror.children { visit(child.value, &found) }
  }

  /// Whether a value is a predicate or an expression, of whatever inputs.
  private static func isPredicate(_ value: Any) -> Bool {
    let name = "\(type(of: value))"
    return name.hasPrefix("Predicate<") || name.hasPrefix("Expression<")
  }
}
