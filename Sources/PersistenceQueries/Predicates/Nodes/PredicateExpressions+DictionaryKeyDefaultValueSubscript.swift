import Foundation
import PersistenceRuntime

extension PredicateExpressions.DictionaryKeyDefaultValueSubscript: TranslatableExpression
where Wrapped: TranslatableExpression, Key: TranslatableExpression, Default: TranslatableExpression {
  package func translate(into translation: inout PredicateCompiler) throws(UntranslatableExpression) {
    try wrapped.translateValue(into: &translation) { translation throws(UntranslatableExpression) in
      try key.translate(into: &translation)
    }
    try `default`.translate(into: &translation)
    translation.append(.coalesce)
  }

  package func value(in bindings: PredicateBindings) throws -> Output {
    try wrapped.value(in: bindings)[key.value(in: bindings)] ?? `default`.value(in: bindings)
  }
}
