import PersistenceRuntime
import PersistenceSupport
import SQLEngine

extension SQLiteTransaction {
  func changePairs(
    of relationship: RelationshipLayout, in entity: EntityLayout, adding: [RelatedPair], removing: [RelatedPair]
  ) throws {
    let connection = try usable()
    let link = try connection.link(of: relationship, in: entity)
    try connection.remove(removing, from: link)
    try connection.add(adding, to: link)
  }

  func orderPairs(of relationship: RelationshipLayout, in entity: EntityLayout, _ orders: [PairOrder]) throws {
    let connection = try usable()
    try connection.order(connection.link(of: relationship, in: entity), orders)
  }

  func setPositions(_ positions: [ListOrder.Position], of relationship: RelationshipLayout, in entity: EntityLayout)
    throws
  {
    let connection = try usable()
    let table = try connection.database.table(for: entity)
    let sql = RowStatements(dialect: SQLiteDialect()).setPosition(in: table, at: relationship.position)
    try connection.setRanks(positions, sql)
  }
}
