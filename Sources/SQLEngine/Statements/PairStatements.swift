/// Writes the statements on the tables that hold the pairs of relationships.
package struct PairStatements {
  let dialect: any SQLDialect

  package init(dialect: any SQLDialect) {
    self.dialect = dialect
  }

  /// Adds a pair unless it is there: owner, target and number are the parameters.
  package func insert(into link: LinkTableMapping) -> String {
    dialect.insertingMissing(
      "INSERT INTO \(dialect.table(link.name)) (\(owner(link)), \(target(link)), \(key)) "
        + "VALUES (\([1, 2, 3].map { dialect.placeholder($0, .key) }.joined(separator: ", ")))")
  }

  /// Removes the pair of owner and target.
  package func delete(from link: LinkTableMapping) -> String {
    "DELETE FROM \(dialect.table(link.name)) "
      + "WHERE \(owner(link)) = \(dialect.placeholder(1, .key)) AND \(target(link)) = \(dialect.placeholder(2, .key))"
  }

  /// Removes the pairs of the row that is parameter 1, on one side of the relationship.
  package func deleteAll(from link: LinkTableMapping, of side: LinkTableMapping.Side) -> String {
    "DELETE FROM \(dialect.table(link.name)) WHERE \(dialect.quoted(side.column)) = \(dialect.placeholder(1, .key))"
  }

  /// Reads target, number and place of every pair of the owner that is parameter 1.
  package func ranks(in link: LinkTableMapping) -> String {
    "SELECT \(target(link)), \(key), \(rank(in: link, as: nil)) FROM \(dialect.table(link.name)) "
      + "WHERE \(owner(link)) = \(dialect.placeholder(1, .key))"
  }

  /// Gives the pair whose number is parameter 2 the place in parameter 1, as its owner sees it.
  package func setRank(in link: LinkTableMapping) -> String {
    "UPDATE \(dialect.table(link.name)) "
      + "SET \(dialect.quoted(link.owner.positionColumn)) = \(dialect.placeholder(1, .value(.real))) "
      + "WHERE \(key) = \(dialect.placeholder(2, .key))"
  }

  /// Where the target of a pair stands for its owner.
  func rank(in link: LinkTableMapping, as alias: String?) -> String {
    let prefix = alias.map { $0 + "." } ?? ""
    return "coalesce(\(prefix)\(dialect.quoted(link.owner.positionColumn)), \(prefix)\(key))"
  }

  private func owner(_ link: LinkTableMapping) -> String { dialect.quoted(link.owner.column) }
  private func target(_ link: LinkTableMapping) -> String { dialect.quoted(link.target.column) }
  private var key: String { dialect.quoted(LinkTableMapping.keyColumn) }
}
