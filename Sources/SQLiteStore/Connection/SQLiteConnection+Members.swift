import PersistenceRuntime
import SQLEngine

extension SQLiteConnection {
  /// Reads the keys of what a relationship holds.
  func keys(of relationship: RelationshipLayout, in entity: EntityLayout, owners: [Int64]) throws -> [Int64] {
    guard let destination = database.table(named: relationship.destination) else { return [] }
    let table = try database.table(for: entity)
    let statements = MemberStatements(dialect: SQLiteDialect())
    let link = table.links[relationship.position]
    guard let sql = statements.keys(of: relationship, owners: table, destination: destination, link: link) else {
      return []
    }
    return try withStatement(sql) { statement in
      try statement.bind(PackedList(keys: owners), at: 1)
      defer { statement.clearBindings() }
      var keys: [Int64] = []
      while try statement.step() { keys.append(statement.integer(0)) }
      return keys
    }
  }

  /// Reads the rows of several keys.
  func rows(of keys: [Int64], _ request: FetchRequest, _ body: (SQLiteStatement) throws -> Void) throws {
    let table = try database.table(for: request.entity)
    let mask = request.mask & request.entity.storedMask
    let sql = RowStatements(dialect: SQLiteDialect()).lookUpSeveral(table, mask: mask)
    try withStatement(sql) { statement in
      try statement.bind(PackedList(keys: keys), at: 1)
      defer { statement.clearBindings() }
      try body(statement)
    }
  }
}

/// Everything that the statement for the members of a relationship depends on.
struct MemberShape: Hashable {
  private let entity: ObjectIdentifier
  private let position: Int
  private let scope: MemberStatements.Scope
  private let omitsOwner: Bool

  init(_ request: MemberRequest) {
    // Layouts live as long as the store does.
    self.entity = ObjectIdentifier(request.entity)
    self.position = request.relationship.position
    self.scope = request.scope
    self.omitsOwner = request.omitsOwner
  }
}

extension MemberRequest {
  /// Which owners the statement for the request reads the members of.
  var scope: MemberStatements.Scope {
    switch owners {
    case .one: .one
    case .some: .some
    case .all: .all
    }
  }
}
