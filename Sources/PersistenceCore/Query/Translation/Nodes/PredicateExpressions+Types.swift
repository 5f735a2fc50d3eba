import Foundation

// Checks and casts of models: what the class of a row is, its table says. Of values no table does, and the predicate is
// evaluated in memory.

extension PredicateExpressions.TypeCheck: TranslatableExpression where Input: TranslatableExpression {
  package func translate(into translation: inout QueryTranslation) throws(UntranslatableExpression) {
    guard let model = try input.model(in: &translation) else {
      throw UntranslatableExpression("a check of the type (is) of a value that is no model")
    }
    try translation.appendTest(of: Desired.self, model)
  }

  package func value(in bindings: PredicateBindings) throws -> Bool {
    try input.value(in: bindings) is Desired
  }
}

extension PredicateExpressions.ConditionalCast: TranslatableExpression where Input: TranslatableExpression {
  /// The identity of the model if it is of the type, so that it can be compared with nil.
  package func translate(into translation: inout QueryTranslation) throws(UntranslatableExpression) {
    guard let model = try model(in: &translation) else {
      throw UntranslatableExpression("a conditional cast (as?) of a value that is no model")
    }
    try translation.appendPresence(of: model)
    try translation.appendKey(of: model)
    translation.append(QueryValue.null)
    translation.append(.conditional)
  }

  package func model(in translation: inout QueryTranslation) throws(UntranslatableExpression) -> ModelReference? {
    try input.model(in: &translation).flatMap { model throws(UntranslatableExpression) in
      try translation.cast(model, to: Desired.self)
    }
  }

  package func value(in bindings: PredicateBindings) throws -> Desired? {
    try input.value(in: bindings) as? Desired
  }
}

extension PredicateExpressions.ForceCast: TranslatableExpression where Input: TranslatableExpression {
  package func translate(into translation: inout QueryTranslation) throws(UntranslatableExpression) {
    throw UntranslatableExpression("a forced cast (as!) that is compared as a whole")
  }

  /// A model of another type has no such property, where the evaluation in memory throws.
  package func translateMember(
    _ keyPath: AnyKeyPath, into translation: inout QueryTranslation
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

  package func model(in translation: inout QueryTranslation) throws(UntranslatableExpression) -> ModelReference? {
    try input.model(in: &translation).flatMap { model throws(UntranslatableExpression) in
      try translation.cast(model, to: Desired.self)
    }
  }

  package func value(in bindings: PredicateBindings) throws -> Desired {
    guard let value = try input.value(in: bindings) as? Desired else { throw PredicateError.forceCastFailure }
    return value
  }
}

extension QueryTranslation {
  /// A model as one of another type of its family; nil when the family has no such type.
  mutating func cast<Model>(
    _ model: ModelReference, to type: Model.Type
  ) throws(UntranslatableExpression) -> ModelReference? {
    guard !isToMany(model) else { return nil }
    if try entity(of: model).isKind(of: type) { return model }
    let place = try row(of: model)
    let family = entity(of: place.row)?.family
    guard let member = family?.firstIndex(where: { ObjectIdentifier($0.modelType) == ObjectIdentifier(type) })
    else { return nil }
    return ModelReference(row: place.row, member: Int32(member))
  }

  /// Appends whether a model is of a type.
  fileprivate mutating func appendTest<Model>(
    of type: Model.Type, _ model: ModelReference
  ) throws(UntranslatableExpression) {
    let entity = try entity(of: model)
    guard let tested = try cast(model, to: type) else {
      throw UntranslatableExpression("a check for \(type), which does not inherit from \(entity.name) in the schema")
    }
    if tested == model, model.relationship == nil { return append(.truth(true)) }
    try appendPresence(of: tested)
  }
}

extension EntityLayout {
  /// Whether every object of the entity is of a type.
  fileprivate func isKind<Model>(of type: Model.Type) -> Bool {
    var next: AnyClass? = modelType as AnyClass
    while let current = next {
      if ObjectIdentifier(current) == ObjectIdentifier(type) { return true }
      next = _getSuperclass(current)
    }
    return false
  }
}
