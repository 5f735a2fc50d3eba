import Foundation
import PersistenceRuntime

extension PredicateExpressions.ConditionalCast: TranslatableExpression where Input: TranslatableExpression {
  /// The key of the model if it is of the type, for a comparison with nil.
  package func translate(into translation: inout PredicateCompiler) throws(UntranslatableExpression) {
    guard let model = try model(in: &translation) else {
      throw UntranslatableExpression("a conditional cast (as?) of a value that is no model")
    }
    try translation.appendPresence(of: model)
    try translation.appendKey(of: model)
    translation.append(QueryValue.null)
    translation.append(.conditional)
  }

  package func model(in translation: inout PredicateCompiler) throws(UntranslatableExpression) -> ModelReference? {
    try input.model(in: &translation).flatMap { model throws(UntranslatableExpression) in
      try translation.cast(model, to: Desired.self)
    }
  }

  package func value(in bindings: PredicateBindings) throws -> Desired? {
    try input.value(in: bindings) as? Desired
  }
}
