import PersistenceCore

/// One index of an entity's table.
package struct IndexMapping: Sendable, Hashable {
  package let name: String
  package let columns: [String]
  package let isUnique: Bool

  /// The indexes of an entity: what must be unique, what is looked up, and every reference, since the database looks
  /// references up itself whenever a row is deleted that others may refer to.
  static func all(
    of entity: EntityLayout, columns: [ColumnMapping], ranges: [Range<Int>], positions: [Int: String],
    names: inout NameRegister
  ) -> [IndexMapping] {
    let unique = entity.uniquenessConstraints + entity.properties.filter(\.isUnique).map { [$0.position] }
    let references = entity.properties.filter { $0.kind.toOneDestination != nil && !$0.columns.isEmpty }.map {
      [$0.position]
    }
    var result: [IndexMapping] = []
    var covered: Set<[String]> = []
    for (kind, sets) in [("unique", unique), ("index", entity.indices), ("reference", references)] {
      for properties in sets {
        var indexed = properties.filter(ranges.indices.contains).flatMap { columns[ranges[$0]] }.map(\.name)
        // The members of a relationship come out of the index in their order.
        if kind == "reference" { indexed += properties.compactMap { positions[$0] } }
        guard !indexed.isEmpty, covered.insert(indexed).inserted else { continue }
        let wish = ([DatabaseMapping.ownPrefix + kind, entity.name] + indexed).joined(separator: "_")
        result.append(IndexMapping(name: names.claim(wish), columns: indexed, isUnique: kind == "unique"))
      }
    }
    return result
  }
}
