import PersistenceRuntime

/// The names of the tables that hold the pairs of relationships, and of their indexes.
///
/// A relationship `c` of an entity `A_b` and a relationship `b_c` of an entity `A` request the same name, and so do the
/// index of a relationship `r` and the table of a relationship `r_target`. The assignment must not depend on the order of
/// models and properties, so the ends that define a table get their names in alphabetical order. An index gives way to a
/// table, since it is the cheaper one to make again.
struct LinkNames {
  private var tables: [[String]: String] = [:]
  private var indexes: [[String]: String] = [:]
  private let prefix: String
  private let longestName: Int?

  /// - Parameter prefix: What stands before all names, where a migration has put the tables aside.
  init(of entities: [EntityLayout], dialect: some SQLDialect, prefix: String) {
    self.prefix = prefix
    longestName = dialect.longestName
    let defining = entities.flatMap(\.relationships).filter { $0.storage == .links(isReversed: false) }
    let ends = Set(defining.map { [$0.entity, $0.name] }).sorted { $0.lexicographicallyPrecedes($1) }
    // Without the prefix: a table that was put aside has the name that it had, with the prefix before it.
    var register = NameRegister(dialect)
    for end in ends { tables[end] = register.claim(Self.wish(of: end)) }
    for end in ends { indexes[end] = register.claim("\(tables[end] ?? Self.wish(of: end))_target") }
  }

  /// The table of the pairs that an end defines.
  func table(ofEnd entity: String, _ relationship: String) -> String {
    prefixed(tables[[entity, relationship]] ?? Self.wish(of: [entity, relationship]))
  }

  /// The index of that table by its second column.
  func index(ofEnd entity: String, _ relationship: String) -> String {
    prefixed(indexes[[entity, relationship]] ?? "\(Self.wish(of: [entity, relationship]))_target")
  }

  private func prefixed(_ name: String) -> String { (prefix + name.fitted(to: longestName)).fitted(to: longestName) }

  private static func wish(of end: [String]) -> String {
    ([DatabaseMapping.ownPrefix + "link"] + end).joined(separator: "_")
  }
}
