import Foundation
import PersistenceRuntime
import PersistenceSupport

/// The result of a translation: the part of a predicate that a store can evaluate, and what prevents the rest.
package struct TranslatedPredicate: Sendable {
  /// The tree of the translated parts; nil if no part was translated.
  package let tree: QueryTree?
  /// The reasons why other parts have no translation. If there are any, the caller must also filter the rows in memory.
  package let obstacles: [UntranslatableExpression]
  /// The entities of the related rows that the tree reads.
  package let relatedEntities: [EntityLayout]
}

/// Translates Foundation's predicates to query trees.
package struct PredicateTranslator {
  /// Translates a whole predicate.
  ///
  /// - Parameter directory: Finds other entities; nil if the tree must not read rows of related models.
  /// - Throws: ``UntranslatableExpression`` if a store cannot evaluate the whole predicate, even if memory can.
  package static func translate<Model>(
    _ predicate: Predicate<Model>, entity: EntityLayout, storeEntity: StoreEntity? = nil,
    directory: (any EntityDirectory)? = nil
  ) throws(UntranslatableExpression) -> QueryTree {
    let translated = translateParts(of: predicate, entity: entity, storeEntity: storeEntity, directory: directory)
    if let obstacle = translated.obstacles.first { throw obstacle }
    return translated.tree ?? QueryTree()
  }

  /// Translates those operands of a conjunction that a store can evaluate. The tree selects at least the matching rows.
  ///
  /// - Parameter memory: The result of ``memory(of:entity:)`` if the caller has it.
  package static func translateParts<Model>(
    of predicate: Predicate<Model>, memory: TemplateMemory.Memory? = nil, entity: EntityLayout,
    storeEntity: StoreEntity?, directory: (any EntityDirectory)?
  ) -> TranslatedPredicate {
    let memory = memory ?? Self.memory(of: predicate, entity: entity)
    if case .tree(let tree) = memory, storeEntity?.readsTexts != false || !tree.readsTexts {
      return TranslatedPredicate(tree: tree, obstacles: [], relatedEntities: [])
    }
    var translation = PredicateCompiler(
      entity: entity, storeEntity: storeEntity, directory: directory, model: predicate.variable.key)
    var obstacles: [UntranslatableExpression] = []
    let isAppended = translateParts(of: predicate.expression, into: &translation, &obstacles)
    if case .nothing = memory, isAppended, obstacles.isEmpty {
      remember(translation.tree, of: predicate, entity: entity)
    }
    return TranslatedPredicate(
      tree: isAppended ? translation.tree : nil, obstacles: obstacles,
      relatedEntities: translation.rowEntities.compactMap(\.self))
  }

  /// The cached translation of a predicate.
  static func memory<Model>(of predicate: Predicate<Model>, entity: EntityLayout) -> TemplateMemory.Memory {
    OpenedExpression.open(predicate.expression, model: predicate.variable.key) { expression in
      entity.withQueryMemory { $0.templates.memory(of: expression) }
    }
  }

  /// Caches the tree of a predicate.
  static func remember<Model>(_ tree: QueryTree, of predicate: Predicate<Model>, entity: EntityLayout) {
    entity.withQueryMemory { $0.templates.remember(tree, of: predicate.expression, model: predicate.variable.key) }
  }

  /// Looks up the conformance by the expression's type, because a cast of the expression would copy it into a box.
  static func translateParts<Expression: PredicateExpression<Bool>>(
    of expression: Expression, into translation: inout PredicateCompiler,
    _ obstacles: inout [UntranslatableExpression]
  ) -> Bool {
    guard let type = Expression.self as? any TranslatableExpression.Type else {
      obstacles.append(.unknown(Expression.self))
      return false
    }
    return translateParts(of: expression, as: type, into: &translation, &obstacles)
  }

  private static func translateParts<Expression, Translatable: TranslatableExpression>(
    of expression: Expression, as type: Translatable.Type, into translation: inout PredicateCompiler,
    _ obstacles: inout [UntranslatableExpression]
  ) -> Bool {
    guard let expression = expression as? Translatable else { return false }
    return expression.translateParts(into: &translation, &obstacles)
  }
}

extension UntranslatableExpression {
  /// The error for a node without a known translation.
  static func unknown(_ type: any Any.Type) -> UntranslatableExpression {
    UntranslatableExpression("an expression that is not Foundation's, somewhere in \(type)")
  }
}

extension PredicateCompiler {
  /// Resolves the identifiers in the nodes from `start` on. Throws if the store does not support one of these nodes.
  mutating func finish(from start: QueryTree.Position) throws(UntranslatableExpression) {
    try resolveIdentifiers(from: start)
    try checkComposites(from: start)
    try requireRoom()
    if storeEntity?.readsTexts == false, tree.readsTexts(from: start) {
      throw UntranslatableExpression("texts that are searched, compared or counted as people do it")
    }
    if let outOfRow = tree.firstOutOfRowOperand(in: entity, from: start) {
      throw UntranslatableExpression("\(outOfRow.entity).\(outOfRow.property), which is not in the column itself")
    }
  }

  /// Throws if the predicate contains more values or captured collections than a statement may have.
  func requireRoom() throws(UntranslatableExpression) {
    guard tree.hasRoomForLists else {
      throw UntranslatableExpression("more than \(QueryTree.mostLists) captured collections in one predicate")
    }
    guard tree.values.count <= QueryTree.mostValues else {
      throw UntranslatableExpression("more than \(QueryTree.mostValues) values in one predicate")
    }
  }
}

/// Translates Foundation's sort descriptors to sort terms.
///
/// Without a localized comparator the order is that of `<`; for strings this is the order of Unicode scalars. Nil
/// orders before every value in ascending order, and after every value in descending order.
package struct SortTranslator {
  /// Translates sort descriptors to sort terms.
  ///
  /// - Parameters:
  ///   - readsTexts: Whether the store sorts texts by Foundation's rules.
  ///   - destination: Returns the destination of a relationship in the same store.
  /// - Throws: ``UntranslatableExpression`` if a store cannot sort in this order. The caller then sorts in memory.
  package static func translate<Model>(
    _ descriptors: [SortDescriptor<Model>], entity: EntityLayout, readsTexts: Bool = true,
    destination: @escaping (RelationshipLayout) -> EntityLayout? = { _ in nil }
  ) throws(UntranslatableExpression) -> [SortTerm] {
    var terms: [SortTerm] = []
    terms.reserveCapacity(descriptors.count)
    for descriptor in descriptors {
      let term = try term(for: descriptor, entity: entity, destination: destination)
      if !readsTexts, case .text = term.form { throw UntranslatableExpression("texts in the order of people") }
      terms.append(term)
    }
    return terms
  }

  private static func term<Model>(
    for descriptor: SortDescriptor<Model>, entity: EntityLayout,
    destination: @escaping (RelationshipLayout) -> EntityLayout?
  ) throws(UntranslatableExpression) -> SortTerm {
    guard let keyPath = descriptor.keyPath else {
      throw UntranslatableExpression("a comparator without a key path")
    }
    let isDescending = descriptor.order == .reverse
    let textOrder = descriptor.stringComparator?.textOrder
    // In the most frequent case, a property in its stored order, only the position is needed.
    if case .property(let position) = entity.meaning(of: keyPath), textOrder == nil,
      entity.isOrderedAsStored(at: position)
    {
      return SortTerm(property: position, isDescending: isDescending)
    }
    let type = type(of: keyPath).valueType
    guard let path = ValuePathResolver(entity, destination: destination).path(of: keyPath) else {
      throw UntranslatableExpression("a key path of \(entity.name) that names no stored value")
    }
    guard case .property(let position, let column) = path.column else {
      throw UntranslatableExpression("a key path of \(entity.name) that leads to a model and not to a value of it")
    }
    guard let form = textOrder.map(SortTerm.Form.text) ?? form(of: path, type: type) else {
      let property = path.steps.isEmpty ? ".\(entity.properties[position].name)" : "'s path to a \(type)"
      throw UntranslatableExpression(
        "\(entity.name)\(property), whose type has a '<' that is not the order of its stored values")
    }
    return SortTerm(
      property: position, column: column, isDescending: isDescending, steps: path.steps, form: form)
  }

  private static func form(of path: ValuePath, type: any Any.Type) -> SortTerm.Form? {
    switch path.suffix {
    case .none: ValueRanks.form(of: type)
    case .rank: .stored
    case .text(let order): .text(order)
    }
  }
}

/// Translates key paths and expressions to query trees with one value per row, for sorting, grouping and aggregates.
package struct OperandTranslator {
  let entity: EntityLayout
  let storeEntity: StoreEntity?
  let directory: (any EntityDirectory)?

  /// - Parameter directory: Finds other entities; nil if the tree must not read rows of related models.
  package init(entity: EntityLayout, storeEntity: StoreEntity? = nil, directory: (any EntityDirectory)? = nil) {
    self.entity = entity
    self.storeEntity = storeEntity
    self.directory = directory
  }

  /// The tree of an expression of one model.
  ///
  /// - Throws: ``UntranslatableExpression`` if a store cannot evaluate the expression.
  package func translate<Model, Value>(
    _ expression: Expression<Model, Value>
  ) throws(UntranslatableExpression) -> QueryTree {
    try translate(expression.expression, of: expression.variable.key)
  }

  /// The tree of a key path of the model.
  ///
  /// - Throws: ``UntranslatableExpression`` if no column stores the value of the key path.
  package func translate(_ keyPath: AnyKeyPath) throws(UntranslatableExpression) -> QueryTree {
    var translation = translation(of: PredicateExpressions.Variable<Never>().key)
    try translation.appendProperty(at: keyPath, of: .root)
    try translation.finish(from: QueryTree().end)
    return translation.tree
  }

  private func translate<Node: PredicateExpression>(
    _ node: Node, of variable: PredicateExpressions.VariableID
  ) throws(UntranslatableExpression) -> QueryTree {
    guard let node = node as? any TranslatableExpression else { throw .unknown(Node.self) }
    var translation = translation(of: variable)
    try node.translate(into: &translation)
    try translation.finish(from: QueryTree().end)
    return translation.tree
  }

  private func translation(of variable: PredicateExpressions.VariableID) -> PredicateCompiler {
    PredicateCompiler(entity: entity, storeEntity: storeEntity, directory: directory, model: variable)
  }
}

/// Finds the entities of a store by name.
package protocol EntityDirectory: AnyObject, Sendable {
  /// The entity with a name; nil if the store lacks it.
  func layout(named name: String) -> EntityLayout?
}

extension StoreCoordinator: EntityDirectory {}

extension QueryTree {
  /// The first property whose value is stored in a file or encrypted, and which is not compared with nil. A comparison
  /// with nil is the only operation that a store supports for such a property.
  func firstOutOfRowOperand(in entity: EntityLayout, from start: Position) -> OutOfRowValue? {
    guard !entity.outOfRowValues.isEmpty else { return nil }
    let part = nodes(from: start)
    for index in part.indices {
      guard case .property(let position) = part[index], let outOfRow = entity.outOfRowValue(at: position)
      else { continue }
      if !isComparedWithNil(index) { return outOfRow }
    }
    return nil
  }

  /// The nodes are in postorder, so the other operand of the comparison is next to the property.
  private func isComparedWithNil(_ index: Int) -> Bool {
    if node(index + 1) == .null { return isEquality(node(index + 2)) }
    return node(index - 1) == .null && isEquality(node(index + 1))
  }

  private func isEquality(_ node: QueryNode?) -> Bool { node == .equal || node == .notEqual }

  private func node(_ index: Int) -> QueryNode? { nodes.indices.contains(index) ? nodes[index] : nil }
}

// Not every store applies Swift's rules to texts: see ``StoreEngine/readsTexts``.

extension QueryTree {
  /// Whether texts are searched, compared or counted by Swift's rules.
  package var readsTexts: Bool { nodes.contains(where: \.readsTexts) }

  func readsTexts(from start: Position) -> Bool { nodes(from: start).contains(where: \.readsTexts) }
}

extension QueryNode {
  fileprivate var readsTexts: Bool {
    switch self {
    case .textCount, .containsLocalized, .containsRegex, .compareText: true
    default: false
    }
  }
}
