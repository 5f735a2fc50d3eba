import Foundation

/// Puts Foundation's sort descriptors into the terms of a query.
///
/// Foundation's order without Apple's localized comparators is that of `<`, which for text is the order of Unicode
/// scalars, and nil comes before every value (after them in reverse), as in the stores.
package struct SortTranslator {
  /// The terms that order as descriptors do.
  ///
  /// - Throws: ``UntranslatableExpression`` when a store cannot order like that; `SortDescriptor.compare` can.
  package static func translate<Model>(
    _ descriptors: [SortDescriptor<Model>], entity: EntityLayout
  ) throws(UntranslatableExpression) -> [SortTerm] {
    var terms: [SortTerm] = []
    terms.reserveCapacity(descriptors.count)
    for descriptor in descriptors {
      terms.append(try term(for: descriptor, entity: entity))
    }
    return terms
  }

  private static func term<Model>(
    for descriptor: SortDescriptor<Model>, entity: EntityLayout
  ) throws(UntranslatableExpression) -> SortTerm {
    if let comparator = descriptor.stringComparator, !comparator.isLexical {
      throw UntranslatableExpression("a comparison of text that is not by its scalars")
    }
    guard let keyPath = descriptor.keyPath else {
      throw UntranslatableExpression("a comparator without a key path")
    }
    let (position, column) = try place(of: keyPath, in: entity)
    guard StorageOrder.isOrdered(type(of: keyPath).valueType) else {
      throw UntranslatableExpression("\(entity.name).\(entity.properties[position].name), whose type orders itself")
    }
    return SortTerm(property: position, column: column, isDescending: descriptor.order == .reverse)
  }

  private static func place(
    of keyPath: AnyKeyPath, in entity: EntityLayout
  ) throws(UntranslatableExpression) -> (property: Int, column: Int) {
    switch entity.meaning(of: keyPath) {
    case .property(let position): return (position, 0)
    case .column(let position, let column): return (position, column)
    default: throw UntranslatableExpression("a key path of \(entity.name) that names no stored value")
    }
  }
}

extension String.StandardComparator {
  /// Whether the comparator compares like `<`, whatever the direction.
  fileprivate var isLexical: Bool {
    var forward = self
    forward.order = .forward
    return forward == .lexical
  }
}
