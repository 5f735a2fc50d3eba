/// A row that a query speaks of besides that of the entity that is asked about.
///
/// Rows have numbers: 0 is the row that is asked about, and the others follow in the order in which the tree lists them.
package enum QueryRow: Sendable, Hashable {
  /// The row that a to-one relationship of another row leads to, if any: there is one for each such row.
  case toOne(from: Int32, member: Int32, property: Int32)
  /// Each row in turn that a to-many relationship of another row holds, for the operator that asks about them.
  case toMany(from: Int32, member: Int32, property: Int32)
  /// Each element in turn of a list, for the operator that asks about them.
  case element
}

/// What a query takes from a row.
package enum RowValue: Sendable, Hashable {
  case property(Int32)
  /// A property that only an entity of the family has, by its place there.
  case memberProperty(Int32, Int32)
  /// A column of a property that has several.
  case column(property: Int32, column: Int32)
  /// A part of a composite property, which a translation replaces by its columns.
  case composite(property: Int32, part: Int32)
  case key
  /// Whether the row is of an entity of the family, or of one that inherits from it.
  case isEntity(Int32)
  /// The value that an element of a list is.
  case element(ColumnFormat, isOptional: Bool)
}

extension QueryNode {
  /// What a query takes from a row, the one that is asked about having nodes of its own.
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
  /// The row value that a node of the row that is asked about stands for; nil for a node that stands for none.
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
