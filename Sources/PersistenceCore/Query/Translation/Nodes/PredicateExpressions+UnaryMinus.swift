import Foundation

extension PredicateExpressions.UnaryMinus: TranslatableExpression where Wrapped: TranslatableExpression {
  package func translate(into translation: inout QueryTranslation) throws(UntranslatableExpression) {
    guard let form = NumberForm(Output.self) else {
      throw UntranslatableExpression("the negative of a \(Output.self), which calculates by itself")
    }
    try wrapped.translate(into: &translation)
    translation.append(.negative(form))
  }

  package func value(in bindings: PredicateBindings) throws -> Output {
    try Calculation.negative(of: wrapped.value(in: bindings))
  }
}
