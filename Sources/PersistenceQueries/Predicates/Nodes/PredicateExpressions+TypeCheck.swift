import Foundation
import PersistenceRuntime

extension PredicateExpressions.TypeCheck: TranslatableExpression where Input: TranslatableExpression {
  package func translate(into translation: inout PredicateCompiler) throws(UntranslatableExpression) {
    guard let model = try input.model(in: &translation) else {
      throw UntranslatableExpression("a check of the type (is) of a value that is no model")
    }
    try translation.appendTest(of: Desired.self, model)
  }

  package func value(in bindings: PredicateBindings) throws -> Bool {
    try input.value(in: bindings) is Desired
  }
}
