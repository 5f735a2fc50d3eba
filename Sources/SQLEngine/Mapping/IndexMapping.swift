import PersistenceRuntime

/// One index of an entity's table.
package struct IndexMapping: Sendable, Hashable {
  package let name: String
  package let columns: [String]
  package let isUnique: Bool
  /// The entities whose rows are in the index; empty for all rows of the table.
  package var entities: [String] = []

  /// The indexes of an entity: on unique columns, on indexed columns, and on every foreign key. When a referenced row
  /// is deleted, the database itself looks up the rows that reference it.
  ///
  /// - Parameter others: Further column lists to index.
  static func all(
    of entity: EntityLayout, columns: [ColumnMapping], ranges: [Range<Int>], positions: [Int: String],
    inherited: [IndexMapping] = [], others: [[String]] = [], names: inout NameRegister
  ) -> [IndexMapping] {
    let unique = entity.uniquenessConstraints + entity.properties.filter(\.isUnique).map { [$0.position] }
    let references = entity.properties.filter { $0.kind.toOneDestination != nil && !$0.columns.isEmpty }.map {
      [$0.position]
    }
    var result = entityIndex(of: entity, names: &names)
    // A unique rule on inherited columns alone needs a condition on the entity. Own columns are NULL in all other rows.
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
      // With the position column, the index returns the members of a relationship in their order.
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
      // A unique index does not order decimals.
      covered = covered.filter { $0.allSatisfy { !decimals.contains($0) } }
      covered.formUnion(inherited.filter { !$0.isUnique }.map(\.columns))
    }
    return result
  }

  /// The index that finds the rows of one class in the table of its hierarchy.
  private static func entityIndex(of entity: EntityLayout, names: inout NameRegister) -> [IndexMapping] {
    guard entity.inheritance?.isRoot == true else { return [] }
    let name = names.claim("\(DatabaseMapping.ownPrefix)entity_\(entity.name)")
    return [IndexMapping(name: name, columns: [DatabaseMapping.entityColumn], isUnique: false)]
  }
}

/// The indexed form of a decimal column: keys, and possibly digits as well.
///
/// Unique indexes contain the digits, by which equal numbers are found. All other indexes contain the key, whose order
/// is the order of the numbers.
enum DecimalIndex: Sendable, Hashable {
  case key
  /// An index on the keys, and another one that begins with the digits.
  case keyAndDigits

  /// - Returns: An entry for each column whose keys an index contains.
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

/// A spatial index: it stores rows as points, in a table of its own beside the indexed table.
///
/// The index only narrows a search. The columns of a row decide whether the row matches.
package struct SpatialIndexMapping: Sendable, Hashable {
  /// One axis of the index.
  package struct Dimension: Sendable, Hashable {
    /// The content of the column.
    package enum Form: Sendable, Hashable {
      case number
      /// Unsigned integers, the greatest of them stored as bytes.
      case unsigned
      /// Texts of decimal digits.
      case decimal
    }

    package let column: String
    package let form: Form
    /// Whether the column may hold something other than a number in some rows. Such rows are not in the index.
    package let mayBeMissing: Bool

    package var lowerColumn: String { column + "_min" }
    package var upperColumn: String { column + "_max" }
  }

  package let name: String
  package let table: String
  package let dimensions: [Dimension]
  /// The name of the plain index that replaces this index in databases without spatial indexes.
  package let plainName: String

  /// The name of the index on the rows that are not in this index.
  package var outsideName: String { name + Self.outsideEnding }

  static let outsideEnding = "_outside"

  /// Whether there may be rows outside the index.
  package var isIncomplete: Bool { dimensions.contains(where: \.mayBeMissing) }
}

extension SpatialIndexMapping {
  package static let keyColumn = DatabaseMapping.keyColumn
  /// The maximum number of dimensions of a spatial index.
  package static let mostDimensions = 5

  /// - Returns: nil if the columns cannot be dimensions.
  init?(
    _ columns: [ColumnMapping], of table: String, entity: String, mayBeMissing: Bool, dialect: some SQLDialect,
    names: inout NameRegister
  ) {
    let isPoint = columns.allSatisfy { $0.reference == nil && Self.formats.contains($0.format) }
    guard isPoint, 1...Self.mostDimensions ~= columns.count, Set(columns.map(\.name)).count == columns.count else {
      return nil
    }
    let wish = ([entity] + columns.map(\.name)).joined(separator: "_")
    // Not-a-number is no coordinate.
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

/// A bound that a condition sets for a column in all rows that satisfy the condition.
package struct SpatialBound: Sendable, Hashable {
  package let column: String
  package let isLower: Bool
  /// An expression without columns.
  package let value: String
}
