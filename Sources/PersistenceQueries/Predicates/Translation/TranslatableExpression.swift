import Foundation
import PersistenceRuntime

/// A node of a predicate with a translation to a query tree.
///
/// Every node of `PredicateExpressions` conforms if its operands conform. So one look-up of the conformance of the
/// predicate's type finds the implementations for all its nodes, and the traversal needs no casts.
package protocol TranslatableExpression<Output>: PredicateExpression {
  /// The value of the node if it is constant; nil if it is not, or if the calculation fails.
  var constant: Output? { get }

  /// Whether the node is a constant, or consists of constants.
  var isConstant: Bool { get }

  /// Returns a reference if the node's value is a model or the models of a to-many relationship; otherwise nil.
  func model(in translation: inout PredicateCompiler) throws(UntranslatableExpression) -> ModelReference?

  /// Appends the node as an operand.
  func translate(into translation: inout PredicateCompiler) throws(UntranslatableExpression)

  /// Appends the node as a condition.
  func translateTest(into translation: inout PredicateCompiler) throws(UntranslatableExpression)

  /// Appends the property at a key path of the node's value.
  func translateMember(
    _ keyPath: AnyKeyPath, into translation: inout PredicateCompiler
  ) throws(UntranslatableExpression)

  /// Appends the bounds of the node's range, and returns the operator that has the bounds as operands.
  func translateBounds(into translation: inout PredicateCompiler) throws(UntranslatableExpression) -> QueryNode

  /// Appends the elements of the node's collection, for a quantifier or aggregate.
  func translateElements(into translation: inout PredicateCompiler) throws(UntranslatableExpression) -> ElementScope

  /// Appends those operands of a conjunction that have a translation, and adds the reasons for the others to
  /// `obstacles`. Returns false if nothing was appended.
  func translateParts(
    into translation: inout PredicateCompiler, _ obstacles: inout [UntranslatableExpression]
  ) -> Bool

  /// Adds what determines the translation, such as a key path. `offset` is the node's offset in the expression.
  static func describe(_ parts: inout ExpressionParts, at offset: Int)

  /// Evaluates the node in the same way as a store. Throws on overflow, whereas Foundation's `evaluate` traps.
  func value(in bindings: PredicateBindings) throws -> Output
}

extension TranslatableExpression {
  package var constant: Output? { nil }

  package var isConstant: Bool { false }

  package static func describe(_ parts: inout ExpressionParts, at offset: Int) { parts.giveUp() }

  package func value(in bindings: PredicateBindings) throws -> Output { try evaluate(bindings) }

  package func model(in translation: inout PredicateCompiler) throws(UntranslatableExpression) -> ModelReference? {
    nil
  }

  package func translateTest(into translation: inout PredicateCompiler) throws(UntranslatableExpression) {
    try translate(into: &translation)
  }

  package func translateMember(
    _ keyPath: AnyKeyPath, into translation: inout PredicateCompiler
  ) throws(UntranslatableExpression) {
    guard let model = try model(in: &translation) else {
      return try translateMemberOfValue(keyPath, into: &translation)
    }
    try translateMember(keyPath, of: model, into: &translation)
  }

  /// Appends a property of a model, or of the array of a relationship's models, such as `count`.
  package func translateMember(
    _ keyPath: AnyKeyPath, of model: ModelReference, into translation: inout PredicateCompiler
  ) throws(UntranslatableExpression) {
    guard translation.isToMany(model) else { return try translation.appendProperty(at: keyPath, of: model) }
    try translateMemberOfCollection(translation.entity.meaning(of: keyPath), into: &translation)
  }

  /// Appends a property of a value that one column stores, such as the `count` of a string.
  package func translateMemberOfValue(
    _ keyPath: AnyKeyPath, into translation: inout PredicateCompiler
  ) throws(UntranslatableExpression) {
    let meaning = translation.entity.meaning(of: keyPath)
    switch meaning {
    case .rawValue:
      try translate(into: &translation)
    case .secondsSince1970:
      try translate(into: &translation)
      translation.append(QueryValue.real(Date.timeIntervalBetween1970AndReferenceDate))
      translation.append(.arithmetic(.add, .double))
    case .isNotANumber:
      // Compares the number with itself, because NaN is the only number that does not equal itself.
      try translate(into: &translation)
      try translate(into: &translation)
      translation.append(.notEqual)
    case .emptyText:
      try translate(into: &translation)
      translation.append(.text("", .text))
      translation.append(.equal)
    case .count where Output.self == String.self:
      try translate(into: &translation)
      translation.append(.textCount)
    case .count where Output.self == Data.self, .isEmpty where Output.self == Data.self:
      try translate(into: &translation)
      translation.append(.dataCount)
      guard meaning == .isEmpty else { return }
      translation.append(QueryValue.integer(0))
      translation.append(.equal)
    case .count, .isEmpty, .first:
      try translateMemberOfCollection(meaning, into: &translation)
    case .member(let offset):
      let start = translation.tree.end
      try translate(into: &translation)
      try translation.replaceComposite(from: start, byMemberAt: offset, of: keyPath)
    case .property, .composite, .column, .key, .relationship, .transformable, .unknown:
      throw UntranslatableExpression("a member of type \(type(of: keyPath).valueType) of a \(Output.self)")
    }
  }

  /// Appends the count of a collection, whether it is empty, or its first element.
  private func translateMemberOfCollection(
    _ meaning: KeyPathMeaning, into translation: inout PredicateCompiler
  ) throws(UntranslatableExpression) {
    guard meaning != .first else { return try translateElement(at: 0, into: &translation) }
    let scope =
      if let values = try translateStoredValues(into: &translation) { values } else {
        try translateElements(into: &translation)
      }
    switch meaning {
    case .count: translation.append(.count(row: scope.row), about: scope)
    case .isEmpty:
      translation.append(.exists(row: scope.row), about: scope)
      translation.append(.not)
    default:
      throw UntranslatableExpression("a member of a collection that is neither its count nor whether it is empty")
    }
  }

  package func translateBounds(
    into translation: inout PredicateCompiler
  ) throws(UntranslatableExpression) -> QueryNode {
    throw UntranslatableExpression("a range of the type \(Output.self) that is neither captured nor written out")
  }

  package func translateElements(
    into translation: inout PredicateCompiler
  ) throws(UntranslatableExpression) -> ElementScope {
    if let model = try model(in: &translation), translation.isToMany(model) {
      return try translation.appendMembers(of: model)
    }
    return try translateStoredElements(into: &translation)
  }

  package func translateParts(
    into translation: inout PredicateCompiler, _ obstacles: inout [UntranslatableExpression]
  ) -> Bool {
    translateWhole(into: &translation, &obstacles)
  }

  /// Appends the condition if all of its parts have a translation.
  func translateWhole(
    into translation: inout PredicateCompiler, _ obstacles: inout [UntranslatableExpression]
  ) -> Bool {
    do {
      try translation.attempt { translation throws(UntranslatableExpression) in
        let start = translation.tree.end
        try translateTest(into: &translation)
        try translation.finish(from: start)
      }
      return true
    } catch {
      obstacles.append(error)
      return false
    }
  }
}
