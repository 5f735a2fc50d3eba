import PersistenceRuntime

/// One index of an entity's table.
package struct IndexMapping: Sendable, Hashable {
  package let name: String
  package let columns: [String]
  package let isUnique: Bool
  /// The entities whose rows are in the index; none for all rows of the table.
  package var entities: [String] = []

  /// The indexes of an entity: what must be unique, what is looked up, and every reference, since the database looks
  /// references up itself whenever a row is deleted that others may refer to.
  ///
  /// - Parameter others: What is looked up too, as names of columns.
  static func all(
    of entity: EntityLayout, columns: [ColumnMapping], ranges: [Range<Int>], positions: [Int: String],
    inherited: [IndexMapping] = [], others: [[String]] = [], names: inout NameRegister
  ) -> [IndexMapping] {
    let unique = entity.uniquenessConstraints + entity.properties.filter(\.isUnique).map { [$0.position] }
    let references = entity.properties.filter { $0.kind.toOneDestination != nil && !$0.columns.isEmpty }.map {
      [$0.position]
    }
    var result = entityIndex(of: entity, names: &names)
    // A rule over inherited properties alone holds among the rows of the entity; over its own, others have no values.
    let inheritedColumns = Set(
      ranges.prefix(entity.inheritance?.firstPosition ?? 0).flatMap { columns[$0].map(\.name) })
    var covered = Set(inherited.filter { $0.isUnique && $0.entities.isEmpty }.map(\.columns))
    let decimals = Set(columns.filter { $0.format == .decimal }.map(\.name))
    func whole(_ positions: [Int]) -> [String] {
      positions.filter(ranges.indices.contains).flatMap { columns[ranges[$0]] }.map(\.name)
    }
    func members(isUnique: Bool) -> [[String]] {
      entity.memberRules.filter { $0.isUnique == isUnique }.map { rule in
        rule.columns.flatMap { part in part.range.map { columns[ranges[part.property].lowerBound + $0].name } }
      }
    }
    let sets = [
      ("unique", unique.map(whole) + members(isUnique: true)),
      ("index", entity.indices.map(whole) + members(isUnique: false) + others),
      // The members of a relationship come out of the index in their order.
      ("reference", references.map { whole($0) + $0.compactMap { positions[$0] } }),
    ]
    for (kind, lists) in sets {
      for indexed in lists {
        guard !indexed.isEmpty, covered.insert(indexed).inserted else { continue }
        let wish = ([DatabaseMapping.ownPrefix + kind, entity.name] + indexed).joined(separator: "_")
        let isPartial = kind == "unique" && indexed.allSatisfy(inheritedColumns.contains)
        result.append(
          IndexMapping(
            name: names.claim(wish), columns: indexed, isUnique: kind == "unique",
            entities: isPartial ? entity.family.map(\.name) : []))
      }
      guard kind == "unique" else { continue }
      covered.formUnion(inherited.map(\.columns))
      // A unique index gives decimals no order.
      covered = covered.filter { $0.allSatisfy { !decimals.contains($0) } }
      covered.formUnion(inherited.filter { !$0.isUnique }.map(\.columns))
    }
    return result
  }

  /// The index by which the rows of a class are found among those of its hierarchy.
  private static func entityIndex(of entity: EntityLayout, names: inout NameRegister) -> [IndexMapping] {
    guard entity.inheritance?.isRoot == true else { return [] }
    let name = names.claim("\(DatabaseMapping.ownPrefix)entity_\(entity.name)")
    return [IndexMapping(name: name, columns: [DatabaseMapping.entityColumn], isUnique: false)]
  }
}
