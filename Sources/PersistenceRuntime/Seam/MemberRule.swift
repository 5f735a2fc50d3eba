/// An index or a uniqueness rule, as columns. At least one of the columns is that of a composite property's member.
package struct MemberRule: Sendable, Hashable {
  /// Consecutive columns of one property.
  package struct Columns: Sendable, Hashable {
    /// The position of the property.
    package let property: Int
    /// The columns, relative to the property's first column.
    package let range: Range<Int>

    package init(property: Int, range: Range<Int>) {
      self.property = property
      self.range = range
    }
  }

  package let isUnique: Bool
  package let columns: [Columns]

  package init(isUnique: Bool, columns: [Columns]) {
    self.isUnique = isUnique
    self.columns = columns
  }

  /// The rules of an entity that involve members of composites.
  static func all(
    of entity: Schema.Entity, _ properties: [PropertyLayout], _ positions: [String: Int]
  ) -> [MemberRule] {
    let unique = entity.allUniquenessConstraints.map { (true, $0) }
    return (unique + entity.binaryIndices.map { (false, $0) }).compactMap { isUnique, names in
      guard names.contains(where: { positions[$0] == nil }) else { return nil }
      let columns = names.compactMap { Self.columns(named: $0, properties, positions) }
      return columns.count == names.count ? MemberRule(isUnique: isUnique, columns: columns) : nil
    }
  }

  /// For each spatial index of an entity, the columns of its dimensions.
  static func spatialIndices(
    of entity: Schema.Entity, _ properties: [PropertyLayout], _ positions: [String: Int]
  ) -> [[Columns]] {
    entity.rtreeIndices.compactMap { names in
      let columns = names.compactMap { Self.columns(named: $0, properties, positions) }
      return columns.count == names.count ? columns : nil
    }
  }

  /// The positions of the properties in the rule.
  package var properties: [Int] { columns.map(\.property) }

  private static func columns(
    named name: String, _ properties: [PropertyLayout], _ positions: [String: Int]
  ) -> Columns? {
    if let position = positions[name] {
      return Columns(property: position, range: properties[position].columns.indices)
    }
    let path = name.split(separator: ".").map(String.init)
    guard let property = properties.first(where: { $0.name == path.first }) else { return nil }
    let members = property.columns.indices.filter { property.columns[$0].path.starts(with: path) }
    guard let first = members.first, let last = members.last else { return nil }
    return Columns(property: property.position, range: first..<last + 1)
  }
}

extension EntityLayout {
  /// The positions of properties that are in a uniqueness rule.
  var uniquePositions: [Int] { Self.uniquePositions(properties, uniquenessConstraints, memberRules) }

  static func uniquePositions(
    _ properties: [PropertyLayout], _ constraints: [[Int]], _ memberRules: [MemberRule]
  ) -> [Int] {
    constraints.flatMap { $0 } + properties.filter(\.isUnique).map(\.position)
      + memberRules.filter(\.isUnique).flatMap(\.properties)
  }
}
