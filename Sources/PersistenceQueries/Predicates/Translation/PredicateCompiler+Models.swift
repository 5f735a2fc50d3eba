// Translates properties of models, and relationships to related models.

import PersistenceRuntime

extension PredicateCompiler {
  /// The entity of a model.
  func entity(of model: ModelReference) throws(UntranslatableExpression) -> EntityLayout {
    if let relationship = relationship(of: model) { return try destination(of: relationship) }
    guard let entity = entity(of: model.row) else { throw UntranslatableExpression("a property of an element") }
    return model.member == 0 ? entity : entity.family[Int(model.member)]
  }

  /// The relationship that the reference follows; nil if it refers to a row itself.
  func relationship(of model: ModelReference) -> RelationshipLayout? {
    guard let position = model.relationship, let entity = entity(of: model.row) else { return nil }
    let owner = model.member == 0 ? entity : entity.family[Int(model.member)]
    return owner.relationship(at: Int(position))
  }

  /// Whether the reference leads to the models of a to-many relationship.
  func isToMany(_ model: ModelReference) -> Bool { relationship(of: model)?.isToMany == true }

  private func destination(of relationship: RelationshipLayout) throws(UntranslatableExpression) -> EntityLayout {
    if let layout = directory?.layout(named: relationship.destination) { return layout }
    let reason = directory == nil ? "whose models have changes that are not saved" : "whose models are in another store"
    throw UntranslatableExpression("\(relationship.path), \(reason)")
  }

  /// Returns a reference to the model's row. Appends the row of a to-one relationship unless the tree already has it.
  mutating func row(of model: ModelReference) throws(UntranslatableExpression) -> ModelReference {
    guard let position = model.relationship, let relationship = relationship(of: model) else { return model }
    guard !relationship.isToMany else {
      throw UntranslatableExpression("a property of \(relationship.path) as a whole, which holds several models")
    }
    let destination = try destination(of: relationship)
    let row = QueryRow.toOne(from: model.row, member: model.member, property: position)
    return ModelReference(row: toOneRow(row, of: destination))
  }

  /// The position of the relationship among the model's properties; nil if the key path is of another property.
  func related(
    to model: ModelReference, by keyPath: AnyKeyPath
  ) throws(UntranslatableExpression) -> Int32? {
    guard !isToMany(model), case .relationship(let position) = try entity(of: model).meaning(of: keyPath) else {
      return nil
    }
    return Int32(position)
  }

  // MARK: Properties

  /// Appends the property at a key path of a model.
  package mutating func appendProperty(
    at keyPath: AnyKeyPath, of model: ModelReference
  ) throws(UntranslatableExpression) {
    let entity = try entity(of: model)
    let meaning = entity.meaning(of: keyPath)
    if meaning == .key { return try appendKey(of: model) }
    let reference = try row(of: model)
    switch meaning {
    case .property(let position):
      try checkPlainValue(of: position, in: entity, reference)
      append(.value(of: reference.row, rowValue(position, of: reference)))
    case .composite(let position) where isOwn(position, reference):
      appendComposite(position, of: reference.row)
    case .column(let position, let column) where isOwn(position, reference):
      append(.value(of: reference.row, .column(property: Int32(position), column: Int32(column))))
    case .composite(let position), .column(let position, _):
      throw UntranslatableExpression(
        "\(entity.name).\(entity.properties[position].name), a struct that only some of the rows have")
    case .relationship(let position):
      try appendKey(of: ModelReference(row: reference.row, member: reference.member, relationship: Int32(position)))
    case .transformable(let position):
      throw UntranslatableExpression("\(entity.name).\(entity.properties[position].name), which has no one column")
    default:
      throw UntranslatableExpression(
        "a property of \(entity.name) of type \(type(of: keyPath).valueType) that is computed or not stored")
    }
  }

  /// Throws for a property whose value is stored in a file or encrypted.
  private func checkPlainValue(
    of position: Int, in entity: EntityLayout, _ model: ModelReference
  ) throws(UntranslatableExpression) {
    // Properties of the queried model are checked later, when the operation that uses them is known.
    guard model.row != 0 || !isOwn(position, model), let outOfRow = entity.outOfRowValue(at: position) else { return }
    throw UntranslatableExpression("\(outOfRow.entity).\(outOfRow.property), which is not in the column itself")
  }

  /// Whether the property at the position belongs to the row's own entity, not only to another entity of the hierarchy.
  private func isOwn(_ position: Int, _ model: ModelReference) -> Bool {
    model.member == 0 || position < entity(of: model.row)?.properties.count ?? 0
  }

  private func rowValue(_ position: Int, of model: ModelReference) -> RowValue {
    isOwn(position, model) ? .property(Int32(position)) : .memberProperty(model.member, Int32(position))
  }

  // MARK: Keys

  /// Appends the key of a model (NULL if there is no model). Uses the foreign key column if the referring row has one.
  mutating func appendKey(of model: ModelReference) throws(UntranslatableExpression) {
    if let node = keyColumn(of: model) {
      if let relationship = relationship(of: model) { noteKeys(of: relationship.destination) }
      return append(node)
    }
    let reference = try row(of: model)
    noteKeys(of: try entity(of: reference).name)
    append(.value(of: reference.row, .key))
  }

  /// The foreign key column that refers to the model; nil if there is none.
  func keyColumn(of model: ModelReference) -> QueryNode? {
    guard let relationship = relationship(of: model), relationship.storage == .column else { return nil }
    return .value(of: model.row, rowValue(relationship.position, of: model.owner))
  }

  // MARK: Presence

  /// Makes the result of `body` nil if a model is missing.
  mutating func requiring(
    _ model: ModelReference, _ body: (inout PredicateCompiler) throws(UntranslatableExpression) -> Void
  ) throws(UntranslatableExpression) {
    let start = tree.end
    try body(&self)
    if tree.passesNilOn(from: start), tree.nodes(from: start).contains(where: { isNil($0, without: model) }) { return }
    let result = cut(from: start)
    try appendPresence(of: model)
    append(result)
    append(QueryValue.null)
    append(.conditional)
  }

  /// Whether a node is a value that is nil if a model is missing.
  private func isNil(_ node: QueryNode, without model: ModelReference) -> Bool {
    if model.relationship != nil {
      if let column = keyColumn(of: model), node == column { return true }
      guard case .related(let row, _) = node, let position = model.relationship else { return false }
      return tree.isReached(row, from: .toOne(from: model.row, member: model.member, property: position))
    }
    let first = entity(of: model.row)?.family[Int(model.member)].inheritance?.firstPosition ?? 0
    switch node {
    case .memberProperty(let member, let position): return model.row == 0 && member == model.member && position >= first
    case .related(model.row, .memberProperty(model.member, let position)): return position >= first
    default: return false
    }
  }

  /// Appends a test whether a model exists.
  mutating func appendPresence(of model: ModelReference) throws(UntranslatableExpression) {
    if model.relationship == nil, model.member > 0 { return append(.value(of: model.row, .isEntity(model.member))) }
    let outer = beginComparison()
    defer { endComparison(in: outer) }
    try appendKey(of: model)
    append(QueryValue.null)
    append(.notEqual)
  }
}

extension QueryTree {
  /// Whether a row is the row of the to-one relationship `first`, or is reached from that row by further relationships.
  fileprivate func isReached(_ row: Int32, from first: QueryRow) -> Bool {
    guard row > 0 else { return false }
    let own = rows[Int(row) - 1]
    if own == first { return true }
    guard case .toOne(let owner, _, _) = own else { return false }
    return isReached(owner, from: first)
  }
}
