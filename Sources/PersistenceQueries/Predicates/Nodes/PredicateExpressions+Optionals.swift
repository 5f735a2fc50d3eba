import Foundation
import PersistenceRuntime

extension PredicateExpressions.NilLiteral: TranslatableExpression {
  package func translate(into translation: inout PredicateCompiler) throws(UntranslatableExpression) {
    translation.append(QueryValue.null)
  }
}

extension PredicateExpressions.NilCoalesce: TranslatableExpression
where LHS: TranslatableExpression, RHS: TranslatableExpression {
  package func translate(into translation: inout PredicateCompiler) throws(UntranslatableExpression) {
    try lhs.translate(into: &translation)
    try rhs.translate(into: &translation)
    translation.append(.coalesce)
  }

  /// Translates both operands as conditions, not values, so that a store can use an index for `condition ?? false`.
  package func translateTest(into translation: inout PredicateCompiler) throws(UntranslatableExpression) {
    try lhs.translateTest(into: &translation)
    try rhs.translateTest(into: &translation)
    translation.append(.coalesce)
  }

  package func value(in bindings: PredicateBindings) throws -> Output {
    try lhs.value(in: bindings) ?? rhs.value(in: bindings)
  }
}

extension PredicateExpressions.ForcedUnwrap: TranslatableExpression where Inner: TranslatableExpression {
  /// In a store, a forced unwrap of nil returns nil, whereas evaluation in memory throws.
  package func translate(into translation: inout PredicateCompiler) throws(UntranslatableExpression) {
    try inner.translate(into: &translation)
  }

  package func model(in translation: inout PredicateCompiler) throws(UntranslatableExpression) -> ModelReference? {
    try inner.model(in: &translation)
  }

  package func value(in bindings: PredicateBindings) throws -> Output {
    guard let value = try inner.value(in: bindings) else { throw PredicateError.forceUnwrapFailure }
    return value
  }
}

extension PredicateExpressions.OptionalFlatMap: TranslatableExpression
where LHS: TranslatableExpression, RHS: TranslatableExpression {
  package var constant: Output? { wrapped.isConstant ? constantValue : nil }

  package var isConstant: Bool { constant != nil }

  package func translate(into translation: inout PredicateCompiler) throws(UntranslatableExpression) {
    if let constant { return try translation.appendComparable(constant) }
    if let model = try wrapped.model(in: &translation) { return try translate(of: model, into: &translation) }
    let operand = try translation.operand { translation throws(UntranslatableExpression) in
      try wrapped.translate(into: &translation)
    }
    let start = translation.tree.end
    let useCount = try translation.binding(variable.key, to: operand) { translation throws(UntranslatableExpression) in
      try transform.translate(into: &translation)
    }
    // A test for nil would prevent the use of an index. It is omitted if a nil operand makes the result nil anyway.
    if useCount == 0 || !translation.tree.passesNilOn(from: start) {
      translation.require(operand.fragment, from: start)
    }
  }

  /// The model that an optional chain of relationships (`a?.b?.c`) leads to.
  package func model(in translation: inout PredicateCompiler) throws(UntranslatableExpression) -> ModelReference? {
    guard let model = try wrapped.model(in: &translation) else { return nil }
    return try translation.binding(variable.key, to: model) { translation throws(UntranslatableExpression) in
      try transform.model(in: &translation)
    }
  }

  /// Appends the rest of an optional chain after a model. Its value is nil if the model is missing or of another type.
  /// A to-many relationship is never nil in a store, so it needs no test for nil.
  private func translate(
    of model: ModelReference, into translation: inout PredicateCompiler
  ) throws(UntranslatableExpression) {
    let body = { (translation: inout PredicateCompiler) throws(UntranslatableExpression) -> Void in
      try translation.binding(variable.key, to: model) { translation throws(UntranslatableExpression) in
        try transform.translate(into: &translation)
      }
    }
    if translation.isToMany(model) || model == .root { return try body(&translation) }
    try translation.requiring(model, body)
  }

  package func value(in bindings: PredicateBindings) throws -> Result? {
    guard let wrapped = try wrapped.value(in: bindings) else { return nil }
    var inner = bindings
    inner[variable] = wrapped
    return try transform.value(in: inner) as? Result? ?? nil
  }
}

extension PredicateCompiler {
  /// Replaces the nodes from `start` on by a conditional: nil if the operand is nil, otherwise the value of the nodes.
  fileprivate mutating func require(_ operand: QueryFragment, from start: QueryTree.Position) {
    let result = cut(from: start)
    appendNilTest(of: operand, .notEqual)
    append(result)
    append(QueryValue.null)
    append(.conditional)
  }
}
