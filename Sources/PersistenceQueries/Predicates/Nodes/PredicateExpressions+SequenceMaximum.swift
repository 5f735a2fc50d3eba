import Foundation
import PersistenceRuntime

extension PredicateExpressions.SequenceMaximum: TranslatableExpression where Elements: TranslatableExpression {
  /// Constant-folded.
  package var constant: Output? { elements.isConstant ? constantValue : nil }

  package var isConstant: Bool { constant != nil }

  package func translate(into translation: inout PredicateCompiler) throws(UntranslatableExpression) {
    if let constant { return try translation.appendComparable(constant) }
    try elements.translateExtreme({ .maximum(row: $0) }, into: &translation)
  }

  package func value(in bindings: PredicateBindings) throws -> Output {
    StoredOrder.extreme(of: try elements.value(in: bindings), isGreatest: true)
  }
}

extension TranslatableExpression {
  /// Appends the minimum or maximum of the elements.
  func translateExtreme(
    _ node: (Int32) -> QueryNode, into translation: inout PredicateCompiler
  ) throws(UntranslatableExpression) {
    let scope = try translateElements(into: &translation)
    // Swift's result depends on the order of the elements if one of them is NaN.
    guard case .value(let format, isOptional: false) = scope.element, format != .real, format != .blob else {
      throw UntranslatableExpression("the least or greatest element of a \(Output.self)")
    }
    translation.append(node(scope.row), about: scope)
  }
}
