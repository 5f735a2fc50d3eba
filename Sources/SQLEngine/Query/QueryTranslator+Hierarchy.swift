import PersistenceCore

/// What is asked about the entities that inherit from the one that a query is on.
extension QueryTranslator {
  /// The table of an entity of the family, the first being the entity itself.
  func subtable(_ member: Int) throws -> TableMapping {
    guard member > 0 else { return table }
    guard table.subtables.indices.contains(member - 1) else {
      throw unsupported("an entity that does not inherit from \(table.entity.name)")
    }
    return table.subtables[member - 1]
  }

  /// The column of a property that only a subentity has; every other row is without it.
  func column(at position: Int, ofMember member: Int) throws -> SQLFragment {
    let table = try subtable(member)
    guard let column = table.columns(of: position).first else {
      throw unsupported("\(table.entity.name).\(table.entity.properties[position].name), which has no column")
    }
    return SQLFragment(role: .column, sql: dialect.quoted(column.name), format: column.format, nullness: .meansNil)
  }
}
