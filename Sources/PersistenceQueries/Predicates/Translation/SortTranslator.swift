import Foundation
import PersistenceRuntime
import PersistenceSupport

/// Translates Foundation's sort descriptors to sort terms.
///
/// Without a localized comparator the order is that of `<`, for strings the order of Unicode scalars. Nil orders before
/// every value, in reverse after them.
package struct SortTranslator {
  /// The terms of descriptors.
  ///
  /// - Parameter destination: Returns the destination of a relationship in the same store.
  /// - Throws: ``UntranslatableExpression`` if a store cannot apply the order. Memory can.
  package static func translate<Model>(
    _ descriptors: [SortDescriptor<Model>], entity: EntityLayout,
    destination: @escaping (RelationshipLayout) -> EntityLayout? = { _ in nil }
  ) throws(UntranslatableExpression) -> [SortTerm] {
    var terms: [SortTerm] = []
    terms.reserveCapacity(descriptors.count)
    for descriptor in descriptors {
      terms.append(try term(for: descriptor, entity: entity, destination: destination))
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
    // The common case needs the position only.
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
