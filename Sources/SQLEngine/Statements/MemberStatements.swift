import PersistenceRuntime

/// Writes the statements that read the members of relationships.
package struct MemberStatements {
  /// Which objects' members a statement reads.
  package enum Scope: Sendable, Hashable {
    /// Those of the owner that is parameter 1.
    case one
    /// Those of the owners in the list that is parameter 1.
    case some
    case all
  }

  let dialect: any SQLDialect

  package init(dialect: any SQLDialect) {
    self.dialect = dialect
  }

  /// Members whose own column has the key of their owner, in any order. The reader sorts them by their positions.
  ///
  /// - Parameters:
  ///   - mask: The properties whose columns are read.
  ///   - repeatsOwner: Whether the key of the owner comes again behind the columns.
  package func referring(
    _ table: TableMapping, at position: Int, _ scope: Scope, mask: UInt64, repeatsOwner: Bool
  ) -> String {
    guard let column = table.columns(of: position).first.map({ dialect.quoted($0.name) }) else { return "" }
    let rank = table.positionColumns[position].map(dialect.quoted) ?? "NULL"
    let selected = RowStatements(dialect: dialect).selected(table, mask: mask)
    let source = dialect.table(table.name)
    let start = "SELECT \(selected)\(repeatsOwner ? ", \(column)" : ""), \(rank) FROM \(source)"
    // Reading everything in the order in which it lies on the disk is faster than finding every row by an index.
    if scope == .all { return start + dialect.endToEndHint }
    return "\(start) WHERE \(condition(on: column, scope))"
  }

  /// Members that a table of pairs connects with their owner, in order.
  package func paired(_ table: TableMapping, by link: LinkTableMapping, _ scope: Scope) -> String {
    let columns = RowStatements(dialect: dialect).selected(table, mask: PropertyMask.all, from: "t.")
    let owner = "l.\(dialect.quoted(link.owner.column))"
    let rank = PairStatements(dialect: dialect).rank(in: link, as: "l")
    let filter = scope == .all ? "" : " WHERE \(condition(on: owner, scope))"
    return "SELECT \(columns), \(owner), NULL FROM \(dialect.table(link.name)) AS l "
      + "JOIN \(dialect.table(table.name)) AS t ON t.\(dialect.quoted(DatabaseMapping.keyColumn)) = "
      + "l.\(dialect.quoted(link.target.column))\(filter) ORDER BY \(rank)"
  }

  /// The keys of what a relationship holds for the owners in the list that is parameter 1.
  package func keys(
    of relationship: RelationshipLayout, owners: TableMapping, destination: TableMapping, link: LinkTableMapping?
  ) -> String? {
    if let link {
      return keys(link.target.column, from: link.name, where: link.owner.column)
    }
    if let own = owners.columns(of: relationship.position).first {
      let reading = keys(own.name, from: owners.name, where: DatabaseMapping.keyColumn)
      return "\(reading) AND \(dialect.quoted(own.name)) IS NOT NULL"
    }
    guard let inverse = relationship.inverse, let column = destination.columns(of: inverse.position).first else {
      return nil
    }
    return keys(DatabaseMapping.keyColumn, from: destination.name, where: column.name)
  }

  private func keys(_ column: String, from table: String, where owner: String) -> String {
    "SELECT \(dialect.quoted(column)) FROM \(dialect.table(table)) WHERE \(condition(on: dialect.quoted(owner), .some))"
  }

  private func condition(on column: String, _ scope: Scope) -> String {
    scope == .one
      ? "\(column) = \(dialect.placeholder(1, .key))"
      : dialect.isMember(column, ofList: dialect.placeholder(1, .list(.reference)), format: .reference)
  }
}
