import Foundation
import PersistenceRuntime

extension PredicateExpressions.CollectionRangeSubscript: TranslatableExpression
where Wrapped: TranslatableExpression, Range: TranslatableExpression {
  package func translate(into translation: inout PredicateCompiler) throws(UntranslatableExpression) {
    throw UntranslatableExpression("a part of a collection ([ ])")
  }

  package func value(in bindings: PredicateBindings) throws -> Output {
    let (collection, range) = (try wrapped.value(in: bindings), try range.value(in: bindings))
    guard range.lowerBound >= collection.startIndex, range.upperBound <= collection.endIndex else {
      throw PredicateError.invalidInput
    }
    return collection[range]
  }
}
