import Foundation
import PersistenceRuntime

extension PredicateExpressions.CollectionIndexSubscript: TranslatableExpression
where Wrapped: TranslatableExpression, Index: TranslatableExpression {
  /// Constant-folded.
  package var constant: Output? { wrapped.isConstant ? constantValue : nil }

  package var isConstant: Bool { constant != nil }

  /// An index out of bounds is unknown, where the in-memory evaluation throws.
  package func translate(into translation: inout PredicateCompiler) throws(UntranslatableExpression) {
    if let constant { return try translation.appendComparable(constant) }
    guard Index.Output.self == Int.self else {
      throw UntranslatableExpression("an element of a \(Wrapped.Output.self) at an index")
    }
    try wrapped.translateElement(into: &translation) { translation throws(UntranslatableExpression) in
      try index.translate(into: &translation)
    }
  }

  package func value(in bindings: PredicateBindings) throws -> Output {
    let (collection, index) = (try wrapped.value(in: bindings), try index.value(in: bindings))
    guard index >= collection.startIndex, index < collection.endIndex else { throw PredicateError.invalidInput }
    return collection[index]
  }
}
