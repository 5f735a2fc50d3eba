import PersistenceCore

/// Writes the statements on link tables.
package struct LinkStatements {
  let dialect: any SQLDialect

  package init(dialect: any SQLDialect) {
    self.dialect = dialect
  }

  /// Reads the targets of the owner that is parameter 1, in order.
  package func targets(_ link: LinkTableMapping) -> String {
    "SELECT \(target) FROM \(dialect.quoted(link.name)) "
      + "WHERE \(owner) = \(dialect.placeholder(1)) ORDER BY \(position)"
  }

  /// Reads the owner and the target of every link of the owners that are the list in parameter 1, in order.
  package func targetsOfOwners(_ link: LinkTableMapping) -> String {
    let isWanted = dialect.isMember(owner, ofList: dialect.placeholder(1), format: .reference)
    return "SELECT \(owner), \(target) FROM \(dialect.quoted(link.name)) "
      + "WHERE \(isWanted) ORDER BY \(owner), \(position)"
  }

  /// Adds a link: owner, position and target are the parameters.
  package func insert(into link: LinkTableMapping) -> String {
    let values = (1...3).map(dialect.placeholder).joined(separator: ", ")
    return "INSERT INTO \(dialect.quoted(link.name)) (\(owner), \(position), \(target)) VALUES (\(values))"
  }

  /// Removes the links of the owner in parameter 1 from the position in parameter 2 on.
  package func truncate(_ link: LinkTableMapping) -> String {
    "DELETE FROM \(dialect.quoted(link.name)) WHERE \(owner) = \(dialect.placeholder(1)) "
      + "AND \(position) >= \(dialect.placeholder(2))"
  }

  private var owner: String { dialect.quoted(LinkTableMapping.ownerColumn) }
  private var position: String { dialect.quoted(LinkTableMapping.positionColumn) }
  private var target: String { dialect.quoted(LinkTableMapping.targetColumn) }
}
