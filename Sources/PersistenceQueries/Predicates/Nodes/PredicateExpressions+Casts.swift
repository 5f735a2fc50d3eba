import Foundation
import PersistenceRuntime

extension PredicateExpressions.ConditionalCast: TranslatableExpression where Input: TranslatableExpression {
  /// Appends the key of the model if the model is of the type, else NULL. The key is only compared with nil.
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

extension PredicateExpressions.ForceCast: TranslatableExpression where Input: TranslatableExpression {
  package func translate(into translation: inout PredicateCompiler) throws(UntranslatableExpression) {
    throw UntranslatableExpression("a forced cast (as!) that is compared as a whole")
  }

  /// If the model is of another type, the store reads its property as nil, whereas evaluation in memory throws.
  package func translateMember(
    _ keyPath: AnyKeyPath, into translation: inout PredicateCompiler
  ) throws(UntranslatableExpression) {
    guard let model = try model(in: &translation) else {
      throw UntranslatableExpression("a forced cast (as!) of a value that is no model")
    }
    guard model.relationship != nil || model.member > 0 else {
      return try translateMember(keyPath, of: model, into: &translation)
    }
    try translation.requiring(model) { translation throws(UntranslatableExpression) in
      try translateMember(keyPath, of: model, into: &translation)
    }
  }

  package func model(in translation: inout PredicateCompiler) throws(UntranslatableExpression) -> ModelReference? {
    try input.model(in: &translation).flatMap { model throws(UntranslatableExpression) in
      try translation.cast(model, to: Desired.self)
    }
  }

  package func value(in bindings: PredicateBindings) throws -> Desired {
    guard let value = try input.value(in: bindings) as? Desired else { throw PredicateError.forceCastFailure }
    return value
  }
}

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
