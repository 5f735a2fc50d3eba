import PersistenceRuntime

/// One index of an entity's table.
package struct IndexMapping: Sendable, Hashable {
  package let name: String
  package let columns: [String]
  package let isUnique: Bool
  /// The names of the entities whose rows are in the index; empty if all rows of the table are.
  package var entities: [String] = []

  /// The indexes of an entity: on unique columns, on indexed columns and on every foreign key. The foreign keys need
  /// indexes because the database searches the referencing rows when a row is deleted.
  ///
  /// - Parameter others: Further lists of columns to index.
  static func all(
    of entity: EntityLayout, columns: [ColumnMapping], ranges: [Range<Int>], positions: [Int: String],
    inherited: [IndexMapping] = [], others: [[String]] = [], names: inout NameRegister
  ) -> [IndexMapping] {
    let unique = entity.uniquenessConstraints + entity.properties.filter(\.isUnique).map { [$0.position] }
    let references = entity.properties.filter { $0.kind.toOneDestination != nil && !$0.columns.isEmpty }.map {
      [$0.position]
    }
    var result = entityIndex(of: entity, names: &names)
    // If all columns are inherited, a unique index needs a condition on the entity. A column that the entity declares
    // itself is NULL in the rows of other entities.
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
      // The index includes the position column, so that it returns the members of a list in their order.
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
      // A unique index does not sort decimals, so it does not replace a plain index on them.
      covered = covered.filter { $0.allSatisfy { !decimals.contains($0) } }
      covered.formUnion(inherited.filter { !$0.isUnique }.map(\.columns))
    }
    return result
  }

  /// The index for finding the rows of one class in the table of a class hierarchy.
  private static func entityIndex(of entity: EntityLayout, names: inout NameRegister) -> [IndexMapping] {
    guard entity.inheritance?.isRoot == true else { return [] }
    let name = names.claim("\(DatabaseMapping.ownPrefix)entity_\(entity.name)")
    return [IndexMapping(name: name, columns: [DatabaseMapping.entityColumn], isUnique: false)]
  }
}

/// What the indexes on a decimal column contain: sort keys, and in some cases also digits.
///
/// A unique index contains the digits, which are the same for equal numbers. Any other index contains sort keys, whose
/// order is the order of the numbers.
enum DecimalIndex: Sendable, Hashable {
  case key
  /// There is an index with the sort keys, and a unique index that begins with the digits.
  case keyAndDigits

  /// - Returns: An entry for each decimal column whose sort keys are in an index.
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

/// A spatial index. It stores each row as a point, in a table of its own next to the indexed table.
///
/// The index only finds candidates. Whether a candidate matches is decided by the columns of its row.
package struct SpatialIndexMapping: Sendable, Hashable {
  /// One axis of the index.
  package struct Dimension: Sendable, Hashable {
    /// What the column contains.
    package enum Form: Sendable, Hashable {
      case number
      /// Unsigned integers. Those above `Int64.max` are stored as bytes.
      case unsigned
      /// Decimal numbers, stored as text.
      case decimal
    }

    package let column: String
    package let form: Form
    /// Whether the column may contain NULL or not-a-number in some rows. These rows are not in the index.
    package let mayBeMissing: Bool

    package var lowerColumn: String { column + "_min" }
    package var upperColumn: String { column + "_max" }
  }

  package let name: String
  package let table: String
  package let dimensions: [Dimension]
  /// The name of the plain index that replaces the spatial index if the database does not support spatial indexes.
  package let plainName: String

  /// The name of the index on the rows that are not in the spatial index.
  package var outsideName: String { name + Self.outsideEnding }

  static let outsideEnding = "_outside"

  /// Whether some rows may not be in the spatial index.
  package var isIncomplete: Bool { dimensions.contains(where: \.mayBeMissing) }
}

extension SpatialIndexMapping {
  package static let keyColumn = DatabaseMapping.keyColumn
  /// The maximum number of dimensions of a spatial index.
  package static let mostDimensions = 5

  /// - Returns: nil if the index cannot be spatial: a column contains no numbers, or there are too many columns.
  init?(
    _ columns: [ColumnMapping], of table: String, entity: String, mayBeMissing: Bool, dialect: some SQLDialect,
    names: inout NameRegister
  ) {
    let isPoint = columns.allSatisfy { $0.reference == nil && Self.formats.contains($0.format) }
    guard isPoint, 1...Self.mostDimensions ~= columns.count, Set(columns.map(\.name)).count == columns.count else {
      return nil
    }
    let wish = ([entity] + columns.map(\.name)).joined(separator: "_")
    // A column of floating-point numbers may contain not-a-number, which is not a coordinate.
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

/// A bound that a condition implies: in all rows that satisfy it, the column is at least or at most ``value``.
package struct SpatialBound: Sendable, Hashable {
  package let column: String
  package let isLower: Bool
  /// An SQL expression that contains no columns.
  package let value: String
}
