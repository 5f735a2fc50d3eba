import Foundation

// Checks and casts of the model's own type: what the class of a row is, its table says. Of related models and of values
// no table does, and the predicate is evaluated in memory.

extension PredicateExpressions.TypeCheck: TranslatableExpression where Input: TranslatableExpression {
  package func translate(into translation: inout QueryTranslation) throws(UntranslatableExpression) {
    guard let member = input.member(in: translation) else {
      throw UntranslatableExpression("a check of the type (is) of a value that is not the model itself")
    }
    try translation.appendTest(of: Desired.self, from: member)
  }
}

extension PredicateExpressions.ConditionalCast: TranslatableExpression where Input: TranslatableExpression {
  /// The identity of the model if it is of the type, so that it can be compared with nil.
  package func translate(into translation: inout QueryTranslation) throws(UntranslatableExpression) {
    guard let member = member(in: translation) else {
      throw UntranslatableExpression("a conditional cast (as?) of a value that is not the model itself")
    }
    translation.append(.isEntity(member))
    translation.append(.key)
    translation.append(QueryValue.null)
    translation.append(.conditional)
  }

  package func member(in translation: QueryTranslation) -> Int? {
    input.member(in: translation).flatMap { translation.member(of: Desired.self, from: $0) }
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
    guard let member = member(in: translation) else {
      throw UntranslatableExpression("a forced cast (as!) of a value that is not the model itself")
    }
    try translation.appendMember(member) { translation throws(UntranslatableExpression) in
      try translation.appendProperty(at: keyPath, of: member)
    }
  }

  package func member(in translation: QueryTranslation) -> Int? {
    input.member(in: translation).flatMap { translation.member(of: Desired.self, from: $0) }
  }
}

extension QueryTranslation {
  /// The entity that a model is of after a cast: that of the type, or the one before for a superclass of it.
  func member<Model>(of type: Model.Type, from member: Int) -> Int? {
    let family = entity.family
    if family[member].isKind(of: type) { return member }
    return family.firstIndex { ObjectIdentifier($0.modelType) == ObjectIdentifier(type) }
  }

  /// Appends whether a model is of a type.
  fileprivate mutating func appendTest<Model>(
    of type: Model.Type, from member: Int
  ) throws(UntranslatableExpression) {
    guard let tested = self.member(of: type, from: member) else {
      throw UntranslatableExpression("a check for \(type), which does not inherit from \(entity.name) in the schema")
    }
    append(tested == 0 ? .truth(true) : .isEntity(tested))
  }

  /// Appends what belongs to an entity of the family, nil for rows of any other.
  mutating func appendMember(
    _ member: Int, _ body: (inout QueryTranslation) throws(UntranslatableExpression) -> Void
  ) throws(UntranslatableExpression) {
    guard member > 0 else { return try body(&self) }
    let start = tree.end
    try body(&self)
    let firstPosition = entity.family[member].inheritance?.firstPosition ?? 0
    if tree.isNil(outside: member, firstPosition: firstPosition, from: start) { return }
    let result = cut(from: start)
    append(.isEntity(member))
    append(result)
    append(QueryValue.null)
    append(.conditional)
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
