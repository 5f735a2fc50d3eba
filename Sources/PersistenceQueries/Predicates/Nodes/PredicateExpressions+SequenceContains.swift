import Foundation
import PersistenceRuntime

extension PredicateExpressions.SequenceContains: TranslatableExpression
where LHS: TranslatableExpression, RHS: TranslatableExpression {
  package func translate(into translation: inout PredicateCompiler) throws(UntranslatableExpression) {
    guard let values = sequence.constant else { return try translateStoredSearch(into: &translation) }
    // Testing the metatype costs less than a cast that fails.
    if LHS.Output.self is any BoundedRange.Type, let range = values as? any BoundedRange {
      try StorageOrder.check(RHS.Output.self)
      try element.translate(into: &translation)
      return translation.append(try range.appendBounds(to: &translation))
    }
    let outer = translation.beginComparison()
    defer { translation.endComparison(in: outer) }
    let start = translation.tree.end
    translation.append(list: try QueryValueConversion.list(of: values))
    try element.translate(into: &translation)
    if translation.mentionsComposites, try translation.replaceComposite(from: start, bySearchIn: values) { return }
    if element.isConstant,
      translation.replaceIdentifiers(from: start, by: element.constant.map { values.contains($0) })
    {
      return
    }
    translation.append(.containsValue)
    try translation.resolveComparison(from: start)
  }

  /// Searches the models of a relationship, or the elements of a stored collection.
  private func translateStoredSearch(
    into translation: inout PredicateCompiler
  ) throws(UntranslatableExpression) {
    let outer = translation.beginComparison()
    defer { translation.endComparison(in: outer) }
    let start = translation.tree.end
    var scope = try sequence.translateElements(into: &translation)
    if case .model = scope.element, !scope.hasCondition {
      try element.translate(into: &translation)
      try translation.noteKeys(of: scope)
      translation.append(.hasMember(row: scope.row))
    } else {
      try translation.appendCondition(on: &scope) { [scope] translation throws(UntranslatableExpression) in
        translation.append(scope.node)
        try element.translate(into: &translation)
        translation.append(.equal)
        try translation.noteKeys(of: scope)
      }
      translation.append(.exists(row: scope.row), about: scope)
    }
    try translation.resolveComparison(from: start)
  }

  package func value(in bindings: PredicateBindings) throws -> Bool {
    try sequence.value(in: bindings).contains(element.value(in: bindings))
  }
}

extension PredicateCompiler {
  /// Records the entity of elements that are models.
  fileprivate mutating func noteKeys(of scope: ElementScope) throws(UntranslatableExpression) {
    guard case .model(let model) = scope.element else { return }
    noteKeys(of: try entity(of: model).name)
  }
}
