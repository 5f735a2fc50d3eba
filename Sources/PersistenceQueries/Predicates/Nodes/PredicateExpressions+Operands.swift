import Foundation
import PersistenceRuntime

extension PredicateExpressions.KeyPath: TranslatableExpression where Root: TranslatableExpression {
  package var constant: Output? {
    root.constant.map { $0[keyPath: keyPath] }
  }

  package var isConstant: Bool { root.isConstant }

  package func translate(into translation: inout PredicateCompiler) throws(UntranslatableExpression) {
    if root.isConstant, let constant { return try translation.appendComparable(constant) }
    try root.translateMember(keyPath, into: &translation)
  }

  /// Evaluates a condition that does not depend on the model, such as `searchText.isEmpty`, and appends its result.
  package func translateTest(into translation: inout PredicateCompiler) throws(UntranslatableExpression) {
    guard isConstant, let truth = constant as? Bool else { return try translate(into: &translation) }
    translation.append(.truth(truth))
  }

  package func model(in translation: inout PredicateCompiler) throws(UntranslatableExpression) -> ModelReference? {
    guard let owner = try root.model(in: &translation),
      let position = try translation.related(to: owner, by: keyPath)
    else { return nil }
    let reference = try translation.row(of: owner)
    return ModelReference(row: reference.row, member: reference.member, relationship: position)
  }

  package static func describe(_ parts: inout ExpressionParts, at offset: Int) {
    // A key path determines a column only if its root is a variable, not a captured value or a related model.
    guard Root.self is any ModelVariable.Type else { return parts.giveUp() }
    parts.add(Root.self, at: offset, plus: MemoryLayout<Self>.offset(of: \.root))
    parts.addKeyPath(at: offset, plus: MemoryLayout<Self>.offset(of: \.keyPath))
  }

  package func value(in bindings: PredicateBindings) throws -> Output {
    try root.value(in: bindings)[keyPath: keyPath as Swift.KeyPath<Root.Output, Output>]
  }
}

extension PredicateExpressions.Value: TranslatableExpression {
  package var constant: Output? { value }

  package var isConstant: Bool { true }

  package func translate(into translation: inout PredicateCompiler) throws(UntranslatableExpression) {
    try translation.appendComparable(value)
  }

  /// Appends a constant condition as the literal true or false, which a store can optimise away, instead of as a value.
  package func translateTest(into translation: inout PredicateCompiler) throws(UntranslatableExpression) {
    guard let value = value as? Bool else { return try translate(into: &translation) }
    translation.append(.truth(value))
  }

  package static func describe(_ parts: inout ExpressionParts, at offset: Int) {
    parts.addValue(Output.self, at: offset, plus: MemoryLayout<Self>.offset(of: \.value))
  }

  package func translateBounds(
    into translation: inout PredicateCompiler
  ) throws(UntranslatableExpression) -> QueryNode {
    guard let range = value as? any BoundedRange else {
      throw UntranslatableExpression("a range of type \(Output.self)")
    }
    return try range.appendBounds(to: &translation)
  }
}

extension PredicateCompiler {
  /// Appends a value in its stored representation.
  package mutating func appendComparable<Value>(_ value: Value) throws(UntranslatableExpression) {
    append(try QueryValueConversion.convert(value))
  }
}

extension PredicateExpressions.Variable: TranslatableExpression {
  package func translate(into translation: inout PredicateCompiler) throws(UntranslatableExpression) {
    if translation.append(key) { return }
    guard let model = translation.model(of: key) else {
      throw UntranslatableExpression("a comparison with the \(Output.self) itself")
    }
    try translation.appendKey(of: model)
  }

  package func translateMember(
    _ keyPath: AnyKeyPath, into translation: inout PredicateCompiler
  ) throws(UntranslatableExpression) {
    guard let model = translation.model(of: key) else {
      return try translateMemberOfValue(keyPath, into: &translation)
    }
    try translateMember(keyPath, of: model, into: &translation)
  }

  package static func describe(_ parts: inout ExpressionParts, at offset: Int) {
    parts.addVariable(at: offset, plus: MemoryLayout<Self>.offset(of: \.key))
  }

  package func model(in translation: inout PredicateCompiler) throws(UntranslatableExpression) -> ModelReference? {
    translation.model(of: key)
  }
}

/// Only variables of predicates conform to this protocol, so a cast to it recognises them.
protocol ModelVariable {}

extension PredicateExpressions.Variable: ModelVariable {}
