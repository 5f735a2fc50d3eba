import Foundation
import PersistenceRuntime

/// What a store can answer of a predicate.
package struct TranslatedPredicate: Sendable {
  /// The tree that selects what the translated parts do; nil when there are none.
  package let tree: QueryTree?
  /// What keeps the other parts from being translated: with any, each row has to be judged in memory too.
  package let obstacles: [UntranslatableExpression]
  /// The entities of the other rows that the tree speaks of.
  package let relatedEntities: [EntityLayout]
}

/// Puts Foundation's predicates into query trees.
package struct PredicateTranslator {
  /// The tree that selects what a predicate does.
  ///
  /// - Parameter directory: Knows other entities; nil where the tree must not reach beyond the one that is asked about.
  /// - Throws: ``UntranslatableExpression`` when a store cannot answer all of the predicate; it may still be evaluated.
  package static func translate<Model>(
    _ predicate: Predicate<Model>, entity: EntityLayout, storeEntity: StoreEntity? = nil,
    directory: (any EntityDirectory)? = nil
  ) throws(UntranslatableExpression) -> QueryTree {
    let translated = translateParts(of: predicate, entity: entity, storeEntity: storeEntity, directory: directory)
    if let obstacle = translated.obstacles.first { throw obstacle }
    return translated.tree ?? QueryTree()
  }

  /// The tree that selects at least what a predicate does: the parts of it, joined by `&&`, that have a translation.
  ///
  /// - Parameter memory: What ``memory(of:entity:)`` said of the predicate, for those who have asked.
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

  /// What is known of a predicate without walking through it.
  static func memory<Model>(of predicate: Predicate<Model>, entity: EntityLayout) -> TemplateMemory.Memory {
    OpenedExpression.open(predicate.expression, model: predicate.variable.key) { expression in
      entity.withQueryMemory { $0.templates.memory(of: expression) }
    }
  }

  /// Keeps the tree of a predicate for others like it.
  static func remember<Model>(_ tree: QueryTree, of predicate: Predicate<Model>, entity: EntityLayout) {
    entity.withQueryMemory { $0.templates.remember(tree, of: predicate.expression, model: predicate.variable.key) }
  }

  /// Finds the conformance by the expression's type; a cast of the expression would copy all of it into a box.
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
  /// A node that is none of those that are known here.
  static func unknown(_ type: any Any.Type) -> UntranslatableExpression {
    UntranslatableExpression("an expression that is not Foundation's, somewhere in \(type)")
  }
}

extension PredicateCompiler {
  /// Checks that what was appended from a place on is something that a store knows.
  mutating func finish(from start: QueryTree.Position) throws(UntranslatableExpression) {
    settleIdentifiers(from: start)
    try checkComposites(from: start)
    try requireRoom()
    if let envelope = tree.envelopeOpened(in: entity, from: start) {
      throw UntranslatableExpression("\(envelope.entity).\(envelope.property), which is not in the column itself")
    }
  }

  /// Checks that a statement can take what has been appended so far.
  func requireRoom() throws(UntranslatableExpression) {
    guard tree.hasRoomForLists else {
      throw UntranslatableExpression("more than \(QueryTree.mostLists) captured collections in one predicate")
    }
    guard tree.values.count <= QueryTree.mostValues else {
      throw UntranslatableExpression("more than \(QueryTree.mostValues) values in one predicate")
    }
  }
}
