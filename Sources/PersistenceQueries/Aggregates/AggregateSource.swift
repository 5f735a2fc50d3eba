import Foundation
import PersistenceRuntime
import PersistenceSupport

/// The operand of an aggregate: a key path from each model, or an expression.
package struct AggregateSource<Model: PersistentModel, Value> {
  enum Kind {
    case keyPath(KeyPath<Model, Value>)
    case expression(Expression<Model, Value>)
  }

  let kind: Kind

  package init(_ keyPath: KeyPath<Model, Value>) { kind = .keyPath(keyPath) }
  package init(_ expression: Expression<Model, Value>) { kind = .expression(expression) }

  package func value(of model: Model) throws -> Value {
    switch kind {
    case .keyPath(let keyPath): model[keyPath: keyPath]
    case .expression(let expression): try expression.evaluate(model)
    }
  }

  /// The operand as a column or an expression of a query. It yields the values as the store contains them.
  ///
  /// - Throws: ``UntranslatableExpression`` if the store cannot evaluate it.
  package func operand(in map: IdentityMap) throws -> AggregateOperand {
    switch kind {
    case .keyPath(let keyPath): .column(try term(keyPath, in: map, form: .stored))
    case .expression(let expression): .tree(try OperandTree.translate(expression, in: map))
    }
  }

  /// The operand in a form that the store sorts in the same order as the type's `<`.
  package func comparedOperand(in map: IdentityMap) throws -> AggregateOperand {
    guard let form = ValueRanks.form(of: Value.self) else {
      throw UntranslatableExpression("\(Value.self), whose '<' is not the order of its stored values")
    }
    if case .keyPath(let keyPath) = kind { return .column(try term(keyPath, in: map, form: form)) }
    guard form == .stored else {
      throw UntranslatableExpression("\(Value.self), whose '<' is not the order of its stored values")
    }
    return try operand(in: map)
  }

  private func term(_ keyPath: AnyKeyPath, in map: IdentityMap, form: SortTerm.Form) throws -> SortTerm {
    guard let path = map.valuePath(of: keyPath) else {
      throw UntranslatableExpression("a key path of \(map.entity.name) that names no stored value")
    }
    guard case .property(let position, let column) = path.column, path.suffix == .none else {
      return try reference(path, in: map)
    }
    let end = try map.end(of: path.steps[...])
    if let outOfRow = end.outOfRowValue(at: position) {
      try check(outOfRow)
      throw UntranslatableExpression("\(outOfRow.entity).\(outOfRow.property), which is not in the column itself")
    }
    return SortTerm(property: position, column: column, isDescending: false, steps: path.steps, form: form)
  }

  /// - Throws: `SwiftDataError.unsupportedKeyPath` for an encrypted property. Evaluation in memory would silently
  ///   decrypt every row.
  private func check(_ outOfRow: OutOfRowValue) throws {
    guard outOfRow.isEncrypted else { return }
    throw SwiftDataError(
      .unsupportedKeyPath,
      "\(outOfRow.entity).\(outOfRow.property) is encrypted, so that the store cannot calculate with it. "
        + "Fetch the models, and calculate in Swift.")
  }

  /// A term for the key of a related model: the foreign key column of the last relationship on the key path.
  private func reference(_ path: ValuePath, in map: IdentityMap) throws -> SortTerm {
    guard path.column == .key, let last = path.steps.last,
      try map.end(of: path.steps.dropLast()).relationship(at: last.position)?.storage == .column
    else { throw UntranslatableExpression("a key path of \(map.entity.name) that leads to no column") }
    return SortTerm(property: last.position, isDescending: false, steps: Array(path.steps.dropLast()))
  }

  /// Returns a reader that decodes the operand's values from a result column.
  ///
  /// - Throws: ``UntranslatableExpression`` for a type that no column stores.
  package func reader(in map: IdentityMap) throws -> StoredValueReader<Value> {
    var destination: StoreEntity?
    if case .keyPath(let keyPath) = kind, let step = map.valuePath(of: keyPath)?.steps.last {
      destination = map.store.layout(named: step.destination).flatMap { layout in
        // In a hierarchy, an identifier also needs the class of the row, which a foreign key column does not contain.
        layout.isPolymorphic ? nil : map.store.storeEntity(of: layout)
      }
    }
    if let reader = StoredValueReader(Value.self, destination: destination) { return reader }
    throw UntranslatableExpression("values of type \(Value.self), which no column holds")
  }
}

extension IdentityMap {
  /// The entity at the end of a path of relationships.
  func end(of steps: ArraySlice<RelationshipStep>) throws -> EntityLayout {
    guard let last = steps.last else { return entity }
    guard let layout = store.layout(named: last.destination) else {
      throw UntranslatableExpression("\(last.destination), which is in another store")
    }
    return layout
  }
}

/// Translates an expression to a query tree that calculates one value for each row.
enum OperandTree {
  /// - Throws: ``UntranslatableExpression`` if a store cannot evaluate the expression. `SwiftDataError` if it must not
  ///   be evaluated in memory either, because that would silently decrypt values.
  static func translate<Model: PersistentModel, Value>(
    _ expression: Expression<Model, Value>, in map: IdentityMap
  ) throws -> QueryTree {
    let translator = OperandTranslator(
      entity: map.entity, storeEntity: map.store.storeEntity(of: map.entity), directory: map.store)
    do {
      return try translator.translate(expression)
    } catch {
      throw map.entity.hasEncrypted ? refusal(error, in: map) : error
    }
  }

  private static func refusal(_ obstacle: UntranslatableExpression, in map: IdentityMap) -> any Error {
    SwiftDataError(
      .unsupportedKeyPath,
      "the store cannot calculate an expression of \(map.entity.name), because of \(obstacle), and memory does not, "
        + "because \(map.entity.name) has encrypted properties. Fetch the models, and calculate in Swift.")
  }
}
