import Foundation
import PersistenceRuntime

/// The translatable part of a predicate.
package struct TranslatedPredicate: Sendable {
  /// The tree of the translated parts; nil if there are none.
  package let tree: QueryTree?
  /// Why other parts have no translation. If there are any, memory must filter the rows as well.
  package let obstacles: [UntranslatableExpression]
  /// The entities of further rows in the tree.
  package let relatedEntities: [EntityLayout]
}

/// Translates Foundation's predicates to query trees.
package struct PredicateTranslator {
  /// The tree of a predicate.
  ///
  /// - Parameter directory: Finds other entities; nil if the tree must not refer to further rows.
  /// - Throws: ``UntranslatableExpression`` if a store cannot evaluate all of it. Memory may.
  package static func translate<Model>(
    _ predicate: Predicate<Model>, entity: EntityLayout, storeEntity: StoreEntity? = nil,
    directory: (any EntityDirectory)? = nil
  ) throws(UntranslatableExpression) -> QueryTree {
    let translated = translateParts(of: predicate, entity: entity, storeEntity: storeEntity, directory: directory)
    if let obstacle = translated.obstacles.first { throw obstacle }
    return translated.tree ?? QueryTree()
  }

  /// The tree of the translatable operands of a conjunction, which selects a superset of the rows.
  ///
  /// - Parameter memory: The result of ``memory(of:entity:)``, if the caller has it.
  package static func translateParts<Model>(
    of predicate: Predicate<Model>, memory: TemplateMemory.Memory? = nil, entity: EntityLayout,
    storeEntity: StoreEntity?, directory: (any EntityDirectory)?
  ) -> TranslatedPredicate {
    let memory = memory ?? Self.memory(of: predicate, entity: entity)
    if case .tree(let tree) = memory { return TranslatedPredicate(tree: tree, obstacles: [], relatedEntities: []) }
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

  /// Finds the conformance by the expression's type: casting the expression would copy it into a box.
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

extension FetchDescriptor {
  /// The cached translation of the predicate.
  package func templateMemory(of entity: EntityLayout) -> TemplateMemory.Memory {
    guard let predicate else { return .nothing }
    return PredicateTranslator.memory(of: predicate, entity: entity)
  }
}

extension UntranslatableExpression {
  /// A node without a known translation.
  static func unknown(_ type: any Any.Type) -> UntranslatableExpression {
    UntranslatableExpression("an expression that is not Foundation's, somewhere in \(type)")
  }
}

extension PredicateCompiler {
  /// Checks that a store supports everything from a position on.
  mutating func finish(from start: QueryTree.Position) throws(UntranslatableExpression) {
    try resolveIdentifiers(from: start)
    try checkComposites(from: start)
    try requireRoom()
    if let outOfRow = tree.firstOutOfRowOperand(in: entity, from: start) {
      throw UntranslatableExpression("\(outOfRow.entity).\(outOfRow.property), which is not in the column itself")
    }
  }

  /// Checks that one statement can have all values.
  func requireRoom() throws(UntranslatableExpression) {
    guard tree.hasRoomForLists else {
      throw UntranslatableExpression("more than \(QueryTree.mostLists) captured collections in one predicate")
    }
    guard tree.values.count <= QueryTree.mostValues else {
      throw UntranslatableExpression("more than \(QueryTree.mostValues) values in one predicate")
    }
  }
}
