// Checks and casts of models: what the class of a row is, its table says. Of values no table does, and the predicate is
// evaluated in memory.

import PersistenceRuntime

extension PredicateCompiler {
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
  mutating func appendTest<Model>(
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
