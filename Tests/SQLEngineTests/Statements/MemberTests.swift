import Foundation
import PersistenceCore
import SQLEngine
import Testing

@Suite("Statements on relationships")
struct MemberTests {
  private let dialects: Dialects

  init() throws { dialects = try Dialects(Models.music) }

  private static func albums(_ writer: StatementWriter, _ scope: MemberStatements.Scope) throws -> String {
    let position = try writer.property("band", of: Album.self).position
    return writer.members.referring(
      try writer.table(Album.self), at: position, scope, mask: PropertyMask.all, repeatsOwner: false)
  }

  private static func fans(_ writer: StatementWriter, _ scope: MemberStatements.Scope) throws -> String {
    writer.members.paired(try writer.table(Fan.self), by: try writer.link("fans", of: Band.self), scope)
  }

  static let readingCases: [StatementCase] = [
    StatementCase(
      "those that refer to one owner",
      sqlite: #"SELECT "_osd_key", "title", "year", "band", "_osd_position_band" FROM "Album" WHERE "band" = ?1"#,
      other: "SELECT [_osd_key], [title], [year], [band], [_osd_position_band] FROM app.[Album] WHERE [band] = $1"
    ) { try albums($0, .one) },
    StatementCase(
      "those that refer to some owners",
      sqlite: #"SELECT "_osd_key", "title", "year", "band", "_osd_position_band" FROM "Album" "#
        + #"WHERE "band" IN (SELECT value FROM _osd_list(?1))"#,
      other: "SELECT [_osd_key], [title], [year], [band], [_osd_position_band] FROM app.[Album] "
        + "WHERE [band] = ANY($1::reference[])"
    ) { try albums($0, .some) },
    StatementCase(
      "those of all owners, from end to end",
      sqlite: #"SELECT "_osd_key", "title", "year", "band", "_osd_position_band" FROM "Album" NOT INDEXED"#,
      other: "SELECT [_osd_key], [title], [year], [band], [_osd_position_band] FROM app.[Album] /* scan */"
    ) { try albums($0, .all) },
    StatementCase(
      "those that pairs connect with one owner",
      sqlite: #"SELECT t."_osd_key", t."name", t."age", l."owner", NULL FROM "_osd_link_Band_fans" AS l "#
        + #"JOIN "Fan" AS t ON t."_osd_key" = l."target" WHERE l."owner" = ?1 "#
        + #"ORDER BY coalesce(l."target_position", l."_osd_key")"#,
      other: "SELECT t.[_osd_key], t.[name], t.[age], l.[owner], NULL FROM app.[_osd_link_Band_fans] AS l "
        + "JOIN app.[Fan] AS t ON t.[_osd_key] = l.[target] WHERE l.[owner] = $1 "
        + "ORDER BY coalesce(l.[target_position], l.[_osd_key])"
    ) { try fans($0, .one) },
    StatementCase(
      "all that pairs connect",
      sqlite: #"SELECT t."_osd_key", t."name", t."age", l."owner", NULL FROM "_osd_link_Band_fans" AS l "#
        + #"JOIN "Fan" AS t ON t."_osd_key" = l."target" ORDER BY coalesce(l."target_position", l."_osd_key")"#,
      other: "SELECT t.[_osd_key], t.[name], t.[age], l.[owner], NULL FROM app.[_osd_link_Band_fans] AS l "
        + "JOIN app.[Fan] AS t ON t.[_osd_key] = l.[target] ORDER BY coalesce(l.[target_position], l.[_osd_key])"
    ) { try fans($0, .all) },
  ]

  @Test("members are read with the key of their owner and their rank", arguments: readingCases)
  func reading(_ item: StatementCase) throws { try item.check(in: dialects) }

  static let pairCases: [StatementCase] = [
    StatementCase(
      "a new pair",
      sqlite: #"INSERT INTO "_osd_link_Band_fans" ("owner", "target", "_osd_key") VALUES (?1, ?2, ?3) "#
        + "ON CONFLICT DO NOTHING",
      other: "INSERT INTO app.[_osd_link_Band_fans] ([owner], [target], [_osd_key]) VALUES ($1, $2, $3) "
        + "SKIP CONFLICTS"
    ) { try $0.pairs.insert(into: $0.link("fans", of: Band.self)) },
    StatementCase(
      "a new pair from the other end",
      sqlite: #"INSERT INTO "_osd_link_Band_fans" ("target", "owner", "_osd_key") VALUES (?1, ?2, ?3) "#
        + "ON CONFLICT DO NOTHING",
      other: "INSERT INTO app.[_osd_link_Band_fans] ([target], [owner], [_osd_key]) VALUES ($1, $2, $3) "
        + "SKIP CONFLICTS"
    ) { try $0.pairs.insert(into: $0.link("bands", of: Fan.self)) },
    StatementCase(
      "a pair's end", sqlite: #"DELETE FROM "_osd_link_Band_fans" WHERE "owner" = ?1 AND "target" = ?2"#,
      other: "DELETE FROM app.[_osd_link_Band_fans] WHERE [owner] = $1 AND [target] = $2"
    ) { try $0.pairs.delete(from: $0.link("fans", of: Band.self)) },
    StatementCase(
      "all pairs of a row", sqlite: #"DELETE FROM "_osd_link_Band_fans" WHERE "target" = ?1"#,
      other: "DELETE FROM app.[_osd_link_Band_fans] WHERE [target] = $1"
    ) { writer in
      let link = try writer.link("fans", of: Band.self)
      return writer.pairs.deleteAll(from: link, of: link.target)
    },
    StatementCase(
      "the places of an owner's pairs",
      sqlite: #"SELECT "target", "_osd_key", coalesce("target_position", "_osd_key") FROM "_osd_link_Band_fans" "#
        + #"WHERE "owner" = ?1"#,
      other: "SELECT [target], [_osd_key], coalesce([target_position], [_osd_key]) FROM app.[_osd_link_Band_fans] "
        + "WHERE [owner] = $1"
    ) { try $0.pairs.ranks(in: $0.link("fans", of: Band.self)) },
    StatementCase(
      "a pair's place from the other end",
      sqlite: #"UPDATE "_osd_link_Band_fans" SET "owner_position" = ?1 WHERE "_osd_key" = ?2"#,
      other: "UPDATE app.[_osd_link_Band_fans] SET [owner_position] = $1::real WHERE [_osd_key] = $2"
    ) { try $0.pairs.setRank(in: $0.link("bands", of: Fan.self)) },
  ]

  @Test("both ends of a many-to-many relationship write the same join rows", arguments: pairCases)
  func pairs(_ item: StatementCase) throws { try item.check(in: dialects) }

  private static func memberPairs(
    _ writer: StatementWriter, _ name: String, of owner: any PersistentModel.Type, to member: any PersistentModel.Type
  ) throws -> String {
    let property = try writer.property(name, of: owner)
    let relationship = try #require(property.relationship)
    let (owners, destination) = (try writer.table(owner), try writer.table(member))
    let sql = writer.members.pairs(
      of: relationship, owners: owners, destination: destination, link: owners.links[property.position])
    return try #require(sql)
  }

  static let memberCases: [StatementCase] = [
    StatementCase(
      "of references",
      sqlite: #"SELECT "_osd_key", "band" FROM "Album" WHERE "_osd_key" IN (SELECT value FROM _osd_list(?1)) "#
        + #"AND "band" IS NOT NULL"#,
      other: "SELECT [_osd_key], [band] FROM app.[Album] WHERE [_osd_key] = ANY($1::reference[]) AND [band] IS NOT NULL"
    ) { try memberPairs($0, "band", of: Album.self, to: Band.self) },
    StatementCase(
      "of rows that refer back",
      sqlite: #"SELECT "band", "_osd_key" FROM "Album" WHERE "band" IN (SELECT value FROM _osd_list(?1))"#,
      other: "SELECT [band], [_osd_key] FROM app.[Album] WHERE [band] = ANY($1::reference[])"
    ) { try memberPairs($0, "albums", of: Band.self, to: Album.self) },
    StatementCase(
      "of pairs",
      sqlite:
        #"SELECT "owner", "target" FROM "_osd_link_Band_fans" WHERE "owner" IN (SELECT value FROM _osd_list(?1))"#,
      other: "SELECT [owner], [target] FROM app.[_osd_link_Band_fans] WHERE [owner] = ANY($1::reference[])"
    ) { try memberPairs($0, "fans", of: Band.self, to: Fan.self) },
  ]

  @Test("keys of owners and members are read without the rows", arguments: memberCases)
  func keys(_ item: StatementCase) throws { try item.check(in: dialects) }
}
