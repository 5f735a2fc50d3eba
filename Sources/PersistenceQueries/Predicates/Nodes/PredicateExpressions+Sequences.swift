import Foundation
import PersistenceRuntime

extension PredicateExpressions.SequenceContains: TranslatableExpression
where LHS: TranslatableExpression, RHS: TranslatableExpression {
  package func translate(into translation: inout PredicateCompiler) throws(UntranslatableExpression) {
    guard let values = sequence.constant else { return try translateStoredSearch(into: &translation) }
    // The metatype is tested first, because a failing cast of the value takes longer.
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

  /// Translates `contains(_:)` on the models of a relationship, or on the elements of a stored collection.
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
  /// If the elements are models, records their entity, so that identifiers in the comparison become its keys.
  fileprivate mutating func noteKeys(of scope: ElementScope) throws(UntranslatableExpression) {
    guard case .model(let model) = scope.element else { return }
    noteKeys(of: try entity(of: model).name)
  }
}

extension PredicateExpressions.SequenceContainsWhere: TranslatableExpression
where LHS: TranslatableExpression, RHS: TranslatableExpression {
  package func translate(into translation: inout PredicateCompiler) throws(UntranslatableExpression) {
    let scope = try test.translate(asConditionOn: sequence, variable.key, into: &translation)
    translation.append(.exists(row: scope.row), about: scope)
  }

  package func value(in bindings: PredicateBindings) throws -> Bool {
    try sequence.value(in: bindings).contains { element in
      try test.value(in: bindings, element, as: variable)
    }
  }
}

extension TranslatableExpression {
  /// Appends the elements of a collection and a condition on them, which is this node or, if `isNegated`, its negation.
  func translate(
    asConditionOn sequence: some TranslatableExpression, _ variable: PredicateExpressions.VariableID,
    isNegated: Bool = false, into translation: inout PredicateCompiler
  ) throws(UntranslatableExpression) -> ElementScope {
    var scope = try sequence.translateElements(into: &translation)
    try translation.appendCondition(on: &scope) { [scope] translation throws(UntranslatableExpression) in
      try translation.binding(variable, to: scope) { translation throws(UntranslatableExpression) in
        try translateTest(into: &translation)
      }
      if isNegated { translation.append(.not) }
    }
    return scope
  }
}

extension PredicateExpressions.SequenceAllSatisfy: TranslatableExpression
where LHS: TranslatableExpression, RHS: TranslatableExpression {
  package func translate(into translation: inout PredicateCompiler) throws(UntranslatableExpression) {
    let scope = try test.translate(asConditionOn: sequence, variable.key, isNegated: true, into: &translation)
    translation.append(.exists(row: scope.row), about: scope)
    translation.append(.not)
  }

  package func value(in bindings: PredicateBindings) throws -> Bool {
    try sequence.value(in: bindings).allSatisfy { element in
      try test.value(in: bindings, element, as: variable)
    }
  }
}

extension PredicateExpressions.SequenceMaximum: TranslatableExpression where Elements: TranslatableExpression {
  package var constant: Output? { elements.isConstant ? constantValue : nil }

  package var isConstant: Bool { constant != nil }

  package func translate(into translation: inout PredicateCompiler) throws(UntranslatableExpression) {
    if let constant { return try translation.appendComparable(constant) }
    try elements.translateExtreme({ .maximum(row: $0) }, into: &translation)
  }

  package func value(in bindings: PredicateBindings) throws -> Output {
    StoredOrder.extreme(of: try elements.value(in: bindings), isGreatest: true)
  }
}

extension TranslatableExpression {
  /// Appends the minimum or maximum of the elements.
  func translateExtreme(
    _ node: (Int32) -> QueryNode, into translation: inout PredicateCompiler
  ) throws(UntranslatableExpression) {
    let scope = try translateElements(into: &translation)
    // Floating-point numbers are excluded, because with NaN, Swift's result depends on the order of the elements.
    guard case .value(let format, isOptional: false) = scope.element, format != .real, format != .blob else {
      throw UntranslatableExpression("the least or greatest element of a \(Output.self)")
    }
    translation.append(node(scope.row), about: scope)
  }
}

extension PredicateExpressions.SequenceMinimum: TranslatableExpression where Elements: TranslatableExpression {
  package var constant: Output? { elements.isConstant ? constantValue : nil }

  package var isConstant: Bool { constant != nil }

  package func translate(into translation: inout PredicateCompiler) throws(UntranslatableExpression) {
    if let constant { return try translation.appendComparable(constant) }
    try elements.translateExtreme({ .minimum(row: $0) }, into: &translation)
  }

  package func value(in bindings: PredicateBindings) throws -> Output {
    StoredOrder.extreme(of: try elements.value(in: bindings), isGreatest: false)
  }
}

extension PredicateExpressions.SequenceStartsWith: TranslatableExpression
where Base: TranslatableExpression, Prefix: TranslatableExpression {
  package func translate(into translation: inout PredicateCompiler) throws(UntranslatableExpression) {
    guard Base.Output.self == String.self, Prefix.Output.self == String.self else {
      throw UntranslatableExpression("a search for a \(Prefix.Output.self) in a \(Base.Output.self)")
    }
    try base.translate(into: &translation)
    try prefix.translate(into: &translation)
    translation.append(.startsWithText)
  }

  package static func describe(_ parts: inout ExpressionParts, at offset: Int) {
    parts.add(Base.self, at: offset, plus: MemoryLayout<Self>.offset(of: \.base))
    parts.add(Prefix.self, at: offset, plus: MemoryLayout<Self>.offset(of: \.prefix))
  }

  package func value(in bindings: PredicateBindings) throws -> Bool {
    try base.value(in: bindings).starts(with: prefix.value(in: bindings))
  }
}

extension PredicateExpressions.Filter: TranslatableExpression
where LHS: TranslatableExpression, RHS: TranslatableExpression {
  package func translate(into translation: inout PredicateCompiler) throws(UntranslatableExpression) {
    throw UntranslatableExpression("a filtered collection (filter) that is compared as a whole")
  }

  package func translateElements(
    into translation: inout PredicateCompiler
  ) throws(UntranslatableExpression) -> ElementScope {
    try filter.translate(asConditionOn: sequence, variable.key, into: &translation)
  }

  package func value(in bindings: PredicateBindings) throws -> Output {
    try sequence.value(in: bindings).filter { element in
      try filter.value(in: bindings, element, as: variable)
    }
  }
}
