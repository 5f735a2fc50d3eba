import Foundation
import PersistenceRuntime

extension PredicateCombination: TranslatableExpression {
  /// The maximum nesting that is translated. SQLite's parser stack has 100 entries, and each level uses up to six.
  private static var mostTranslatedLevels: Int { 8 }

  func translate(into translation: inout PredicateCompiler) throws(UntranslatableExpression) {
    try checkTranslatedDepth()
    try translate(predicates.indices, of: modelType(in: translation), into: &translation)
    if isNegated { translation.append(.not) }
  }

  /// If this is a conjunction, adds its operands to those of the enclosing conjunction.
  func translateParts(
    into translation: inout PredicateCompiler, _ obstacles: inout [UntranslatableExpression]
  ) -> Bool {
    guard operation == .all, !isNegated, !predicates.isEmpty, depth <= Self.mostTranslatedLevels else {
      return translateWhole(into: &translation, &obstacles)
    }
    return translateParts(predicates.indices, of: modelType(in: translation), into: &translation, &obstacles)
  }

  private func checkTranslatedDepth() throws(UntranslatableExpression) {
    guard depth > Self.mostTranslatedLevels else { return }
    throw UntranslatableExpression(
      "predicates that are put into each other more than \(Self.mostTranslatedLevels) levels deep")
  }

  // MARK: Lists

  /// Appends some of the predicates as a balanced tree, because databases limit the depth of expressions.
  private func translate(
    _ range: Range<Int>, of type: (any Any.Type)?, into translation: inout PredicateCompiler
  ) throws(UntranslatableExpression) {
    guard range.count > 1 else {
      guard let index = range.first else { return translation.append(.truth(isNeutral)) }
      return try translate(predicates[index], of: type, into: &translation)
    }
    let middle = range.lowerBound + range.count / 2
    try translate(range.lowerBound..<middle, of: type, into: &translation)
    try translate(middle..<range.upperBound, of: type, into: &translation)
    translation.append(isNeutral ? .and : .or)
  }

  private func translateParts(
    _ range: Range<Int>, of type: (any Any.Type)?, into translation: inout PredicateCompiler,
    _ obstacles: inout [UntranslatableExpression]
  ) -> Bool {
    guard range.count > 1 else {
      return range.first.map { translateParts(of: predicates[$0], type, into: &translation, &obstacles) } ?? false
    }
    let middle = range.lowerBound + range.count / 2
    let hasLeft = translateParts(range.lowerBound..<middle, of: type, into: &translation, &obstacles)
    let hasRight = translateParts(middle..<range.upperBound, of: type, into: &translation, &obstacles)
    if hasLeft, hasRight { translation.append(.and) }
    return hasLeft || hasRight
  }

  // MARK: Single predicates

  private func translate(
    _ predicate: Predicate<repeat each Input>, of type: (any Any.Type)?, into translation: inout PredicateCompiler
  ) throws(UntranslatableExpression) {
    let memory = memory(of: predicate, type, in: translation)
    if case .tree(let tree) = memory { return translation.append(tree) }
    let outer = translation.beginComparison()
    defer { translation.endComparison(in: outer) }
    let beginning = translation.moment
    let count = try bind(predicate, in: &translation)
    try translation.append(predicate.expression, isTest: true)
    translation.unbind(count)
    try translation.finish(from: beginning.position)
    if case .nothing = memory { remember(predicate, type, translation, from: beginning) }
  }

  private func translateParts(
    of predicate: Predicate<repeat each Input>, _ type: (any Any.Type)?, into translation: inout PredicateCompiler,
    _ obstacles: inout [UntranslatableExpression]
  ) -> Bool {
    let memory = memory(of: predicate, type, in: translation)
    let (beginning, obstacleCount) = (translation.moment, obstacles.count)
    do throws(UntranslatableExpression) {
      if case .tree(let tree) = memory {
        translation.append(tree)
        try translation.requireRoom()
        return true
      }
      let count = try bind(predicate, in: &translation)
      let isAppended = PredicateTranslator.translateParts(of: predicate.expression, into: &translation, &obstacles)
      translation.unbind(count)
      if case .nothing = memory, isAppended, obstacles.count == obstacleCount {
        remember(predicate, type, translation, from: beginning)
      }
      return isAppended
    } catch {
      translation.goBack(to: beginning)
      obstacles.append(error)
      return false
    }
  }

  /// Binds the variables of a predicate to the variables of this node, and returns their number.
  private func bind(
    _ predicate: Predicate<repeat each Input>, in translation: inout PredicateCompiler
  ) throws(UntranslatableExpression) -> Int {
    var count = 0
    for (inner, outer) in repeat (each predicate.variable, each variable) {
      try translation.bind(inner.key, to: outer)
      count += 1
    }
    return count
  }

  // MARK: Templates

  /// The type of the model if it is the only input of the predicates, else nil. Without it, the cache is not used.
  private func modelType(in translation: PredicateCompiler) -> (any Any.Type)? {
    var (count, result) = (0, nil as (any Any.Type)?)
    for (type, variable) in repeat ((each Input).self, each variable) {
      count += 1
      if translation.model(of: variable.key) == .root { result = type }
    }
    return count == 1 ? result : nil
  }

  private func memory(
    of predicate: Predicate<repeat each Input>, _ type: (any Any.Type)?, in translation: PredicateCompiler
  ) -> TemplateMemory.Memory {
    func memory<Model>(_ type: Model.Type) -> TemplateMemory.Memory {
      guard let predicate = predicate as Any as? Predicate<Model> else { return .unfit }
      return PredicateTranslator.memory(of: predicate, entity: translation.entity)
    }
    return type.map { memory($0) } ?? .unfit
  }

  private func remember(
    _ predicate: Predicate<repeat each Input>, _ type: (any Any.Type)?, _ translation: PredicateCompiler,
    from beginning: PredicateCompiler.Moment
  ) {
    func remember<Model>(_ type: Model.Type) {
      guard let tree = translation.ownTree(from: beginning), let predicate = predicate as Any as? Predicate<Model>
      else { return }
      PredicateTranslator.remember(tree, of: predicate, entity: translation.entity)
    }
    if let type { remember(type) }
  }
}

extension PredicateCompiler {
  /// Appends a cached tree, which reads no rows of related models.
  fileprivate mutating func append(_ tree: QueryTree) {
    append(QueryFragment(nodes: tree.nodes, values: tree.values))
  }
}
