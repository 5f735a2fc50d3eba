import PersistenceRuntime

/// One index of an entity's table.
package struct IndexMapping: Sendable, Hashable {
  package let name: String
  package let columns: [String]
  package let isUnique: Bool
  /// The entities whose rows are in the index; none for all rows of the table.
  package var entities: [String] = []

  /// The indexes of an entity: of unique columns, of indexed ones, and of every reference. The database looks
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

/// The indexed forms of a decimal column: digits, and keys if an index has them.
///
/// Unique indexes have the digits, which find equal numbers. All others have the key, which has the order of the
/// numbers.
enum DecimalIndex: Sendable, Hashable {
  case key
  /// An index of keys, and another one that begins with the digits.
  case keyAndDigits

  /// - Returns: Nothing for columns that no index has the keys of.
  static func all(of columns: [ColumnMapping], in indexes: [IndexMapping]) -> [String: DecimalIndex] {
    var result: [String: DecimalIndex] = [:]
    for column in columns where column.format == .decimal {
      guard indexes.contains(where: { !$0.isUnique && $0.columns.contains(column.name) }) else { continue }
      let isUnique = indexes.contains { $0.isUnique && $0.entities.isEmpty && $0.columns.first == column.name }
      result[column.name] = isUnique ? .keyAndDigits : .key
    }
    return result
  }
}

/// An index of rows as points of a space: a table of its own, beside the table whose rows it finds.
///
/// What is in it only narrows a search. The columns of the row decide.
package struct SpatialIndexMapping: Sendable, Hashable {
  /// One axis of the space.
  package struct Dimension: Sendable, Hashable {
    /// What is in the column.
    package enum Form: Sendable, Hashable {
      case number
      /// Whole numbers, the greatest of which are bytes.
      case unsigned
      /// Texts of decimal digits.
      case decimal
    }

    package let column: String
    package let form: Form
    /// Whether rows may have something else than a number in the column, and then are not in the index.
    package let mayBeMissing: Bool

    package var lowerColumn: String { column + "_min" }
    package var upperColumn: String { column + "_max" }
  }

  package let name: String
  package let table: String
  package let dimensions: [Dimension]
  /// The plain index that stands in its place in databases that cannot make it.
  package let plainName: String

  /// The index of the rows that are not in this one.
  package var outsideName: String { name + Self.outsideEnding }

  static let outsideEnding = "_outside"

  /// Whether there may be rows that are not in the index.
  package var isIncomplete: Bool { dimensions.contains(where: \.mayBeMissing) }
}

extension SpatialIndexMapping {
  package static let keyColumn = DatabaseMapping.keyColumn
  /// More make no index of this kind.
  package static let mostDimensions = 5

  /// - Returns: nil when the columns are none that points are made of.
  init?(
    _ columns: [ColumnMapping], of table: String, entity: String, mayBeMissing: Bool, dialect: some SQLDialect,
    names: inout NameRegister
  ) {
    let isPoint = columns.allSatisfy { $0.reference == nil && Self.formats.contains($0.format) }
    guard isPoint, 1...Self.mostDimensions ~= columns.count, Set(columns.map(\.name)).count == columns.count else {
      return nil
    }
    let wish = ([entity] + columns.map(\.name)).joined(separator: "_")
    // Not-a-number is no number that a place could have.
    let dimensions = columns.map {
      Dimension(
        column: $0.name, form: Self.form(of: $0), mayBeMissing: mayBeMissing || $0.isOptional || $0.format == .real)
    }
    let name = names.claim(
      "\(DatabaseMapping.ownPrefix)rtree_\(wish)", endings: dialect.spatialIndexEndings + [Self.outsideEnding])
    self.init(
      name: name, table: table, dimensions: dimensions, plainName: "\(DatabaseMapping.ownPrefix)index_\(wish)")
  }

  private static let formats: Set<ColumnFormat> = [.integer, .real, .decimal]

  private static func form(of column: ColumnMapping) -> Dimension.Form {
    column.format == .decimal ? .decimal : column.isUnsigned ? .unsigned : .number
  }
}

/// What a condition says about the least or greatest value of a column in the rows that meet it.
package struct SpatialBound: Sendable, Hashable {
  package let column: String
  package let isLower: Bool
  /// An expression without columns.
  package let value: String
}
