import PersistenceRuntime

// For models, `is` and `as?` are translated to a test of the class name that the row stores. For other values, they
// have no translation and are evaluated in memory.

extension PredicateCompiler {
  /// Returns a reference to the model as an instance of another class; nil if its hierarchy does not contain the class.
  mutating func cast<Model>(
    _ model: ModelReference, to type: Model.Type
  ) throws(UntranslatableExpression) -> ModelReference? {
    guard !isToMany(model) else { return nil }
    if try entity(of: model).isKind(of: type) { return model }
    let reference = try row(of: model)
    let family = entity(of: reference.row)?.family
    guard let member = family?.firstIndex(where: { ObjectIdentifier($0.modelType) == ObjectIdentifier(type) })
    else { return nil }
    return ModelReference(row: reference.row, member: Int32(member))
  }

  /// Appends a test whether a model is of a type.
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

/// A model in an expression: a row, as one entity of its hierarchy, or the model that the row's relationship leads to.
package struct ModelReference: Sendable, Hashable {
  /// The index of the row in the query; 0 for the queried model's row.
  package let row: Int32
  /// The index of the entity among the entities of the hierarchy.
  package let member: Int32
  /// The position of the relationship among the entity's properties; nil for the row itself.
  package let relationship: Int32?

  init(row: Int32, member: Int32 = 0, relationship: Int32? = nil) {
    self.row = row
    self.member = member
    self.relationship = relationship
  }

  /// The queried model.
  static let root = ModelReference(row: 0)

  /// A reference to the row that has the relationship.
  var owner: ModelReference { ModelReference(row: row, member: member) }
}
