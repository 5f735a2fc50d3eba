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

  /// A condition without variables, such as whether the search text is empty, is constant-folded.
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
    // A path through a value or another model determines more than one column.
    guard Root.self is any ModelVariable.Type else { return parts.giveUp() }
    parts.add(Root.self, at: offset, plus: MemoryLayout<Self>.offset(of: \.root))
    parts.addKeyPath(at: offset, plus: MemoryLayout<Self>.offset(of: \.keyPath))
  }

  package func value(in bindings: PredicateBindings) throws -> Output {
    try root.value(in: bindings)[keyPath: keyPath as Swift.KeyPath<Root.Output, Output>]
  }
}
