/// A further row in a query.
///
/// Row 0 is the queried entity's row; the tree's list of rows has the others, numbered from 1.
package enum QueryRow: Sendable, Hashable {
  /// The row of a to-one relationship of another row, or none.
  case toOne(from: Int32, member: Int32, property: Int32)
  /// Each row of a to-many relationship of another row, for a quantifier or aggregate.
  case toMany(from: Int32, member: Int32, property: Int32)
  /// Each element of a list, for a quantifier or aggregate.
  case element
}

/// A value of a row.
package enum RowValue: Sendable, Hashable {
  case property(Int32)
  /// A property of a subentity, by the subentity's index in the family and the property's position.
  case memberProperty(Int32, Int32)
  /// A column of a property with several columns.
  case column(property: Int32, column: Int32)
  /// A part of a composite property, to be replaced by its columns.
  case composite(property: Int32, part: Int32)
  case key
  /// Whether the row is of a family's entity or its subentities.
  case isEntity(Int32)
  /// The value of a list's element.
  case element(ColumnFormat, isOptional: Bool)
}

extension QueryNode {
  /// The node of a row's value; row 0 has nodes of its own.
  package static func value(of row: Int32, _ value: RowValue) -> QueryNode {
    guard row == 0 else { return .related(row: row, value) }
    return switch value {
    case .property(let position): .property(Int(position))
    case .memberProperty(let member, let position): .memberProperty(Int(member), Int(position))
    case .column(let position, let column): .member(property: Int(position), column: Int(column))
    case .composite(let position, let part): .composite(property: Int(position), part: Int(part))
    case .key: .key
    case .isEntity(let member): .isEntity(Int(member))
    case .element: .related(row: row, value)
    }
  }
}

extension RowValue {
  /// The value that a node of row 0 denotes; nil for other nodes.
  package init?(_ node: QueryNode) {
    switch node {
    case .property(let position): self = .property(Int32(position))
    case .memberProperty(let member, let position): self = .memberProperty(Int32(member), Int32(position))
    case .member(let position, let column): self = .column(property: Int32(position), column: Int32(column))
    case .composite(let position, let part): self = .composite(property: Int32(position), part: Int32(part))
    case .key: self = .key
    case .isEntity(let member): self = .isEntity(Int32(member))
    default: return nil
    }
  }
}
