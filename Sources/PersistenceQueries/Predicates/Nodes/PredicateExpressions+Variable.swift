import Foundation
import PersistenceRuntime

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

/// The variable of a predicate, for a type test.
protocol ModelVariable {}

extension PredicateExpressions.Variable: ModelVariable {}
