import CSQLite
import PersistenceCore
import SQLEngine

extension SQLiteConnection {
  private var linkStatements: LinkStatements { LinkStatements(dialect: SQLiteDialect()) }

  /// The link table of a to-many property.
  func link(of property: PropertyLayout, in entity: EntityLayout) throws -> LinkTableMapping {
    if let link = try database.table(for: entity).links[property.position] { return link }
    throw SwiftDataError(
      .storeFailure, "\(entity.name).\(property.name) is no to-many relationship, and has no links.")
  }

  func targets(_ link: LinkTableMapping, owner: Int64) throws -> [Int64] {
    try withStatement(linkStatements.targets(link)) { statement in
      try statement.bind(owner, at: 1)
      var targets: [Int64] = []
      while try statement.step() { targets.append(statement.integer(0)) }
      return targets
    }
  }

  func links(of property: PropertyLayout, in entity: EntityLayout, owners: [Int64]) throws -> [Int64: [Int64]] {
    let link = try link(of: property, in: entity)
    return try withStatement(linkStatements.targetsOfOwners(link)) { statement in
      try statement.bind(PackedList(keys: owners), at: 1)
      var result: [Int64: [Int64]] = [:]
      while try statement.step() { result[statement.integer(0), default: []].append(statement.integer(1)) }
      return result
    }
  }

  func removeLinks(_ link: LinkTableMapping, owner: Int64, from position: Int) throws {
    try withStatement(linkStatements.truncate(link)) { statement in
      try statement.bind(owner, at: 1)
      try statement.bind(Int64(position), at: 2)
      try statement.run()
    }
  }

  /// Adds links behind those that the owner has.
  func addLinks(_ link: LinkTableMapping, owner: Int64, _ targets: ArraySlice<Int64>) throws {
    try withStatement(linkStatements.insert(into: link)) { statement in
      try statement.bind(owner, at: 1)
      for (position, target) in zip(targets.indices, targets) {
        try statement.bind(Int64(position), at: 2)
        try statement.bind(target, at: 3)
        try statement.run()
      }
    }
  }
}
