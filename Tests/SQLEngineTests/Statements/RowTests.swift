import Foundation
import PersistenceCore
import SQLEngine
import Testing

@Suite("Statements on rows")
struct RowTests {
  private let dialects: Dialects

  init() throws { dialects = try Dialects(Models.music + Models.vehicles) }

  static let readingCases: [StatementCase] = [
    StatementCase(
      "a row by its key", sqlite: #"SELECT "_osd_key", "title", "year", "band" FROM "Album" WHERE "_osd_key" = ?1"#,
      other: "SELECT [_osd_key], [title], [year], [band] FROM app.[Album] WHERE [_osd_key] = $1"
    ) { try $0.rows.lookUp($0.table(Album.self), mask: PropertyMask.all) },
    StatementCase(
      "rows by a list of keys",
      sqlite: #"SELECT "_osd_key", "width", "album" FROM "Cover" "#
        + #"WHERE "_osd_key" IN (SELECT value FROM _osd_list(?1))"#,
      other: "SELECT [_osd_key], [width], [album] FROM app.[Cover] WHERE [_osd_key] = ANY($1::reference[])"
    ) { try $0.rows.lookUpSeveral($0.table(Cover.self), mask: PropertyMask.all) },
    StatementCase(
      "a row of a subclass",
      sqlite: #"SELECT "_osd_key", "wheels", "seats", "_osd_entity" FROM "Vehicle" "#
        + #"WHERE "_osd_key" = ?1 AND "_osd_entity" = 'Bus'"#,
      other: "SELECT [_osd_key], [wheels], [seats], [_osd_entity] FROM app.[Vehicle] "
        + "WHERE [_osd_key] = $1 AND [_osd_entity] = N'Bus'"
    ) { try $0.rows.lookUp($0.table(Bus.self), mask: PropertyMask.all) },
    StatementCase(
      "the greatest key", sqlite: #"SELECT max("_osd_key") FROM "Album""#,
      other: "SELECT max([_osd_key]) FROM app.[Album]"
    ) { $0.rows.greatestKey(ofTableNamed: "Album") },
  ]

  @Test("rows are read by their keys", arguments: readingCases)
  func reading(_ item: StatementCase) throws { try item.check(in: dialects) }

  static let writingCases: [StatementCase] = [
    StatementCase(
      "a new row", sqlite: #"INSERT INTO "Album" ("_osd_key", "title", "year", "band") VALUES (?1, ?2, ?3, ?4)"#,
      other: "INSERT INTO app.[Album] ([_osd_key], [title], [year], [band]) VALUES ($1, $2, $3, $4)"
    ) { try $0.rows.insert(into: $0.table(Album.self)) },
    StatementCase(
      "a new row, or the one that has its unique values",
      sqlite: #"INSERT INTO "Band" ("_osd_key", "name", "leader") VALUES (?1, ?2, ?3) ON CONFLICT DO UPDATE SET "#
        + #""name" = excluded."name", "leader" = excluded."leader" RETURNING "_osd_key""#,
      other: "INSERT INTO app.[Band] ([_osd_key], [name], [leader]) VALUES ($1, $2, $3) "
        + "ON CONFLICT ([name]) SET [name] = excluded.[name], [leader] = excluded.[leader] OUTPUT [_osd_key]"
    ) { try $0.rows.upsert(into: $0.table(Band.self)) },
    StatementCase(
      "a row of a subclass, or the one that has its unique values",
      sqlite: #"INSERT INTO "Vehicle" ("_osd_key", "wheels", "plate", "load", "_osd_entity") "#
        + #"VALUES (?1, ?2, ?3, ?4, 'Truck') ON CONFLICT DO UPDATE SET "wheels" = excluded."wheels", "#
        + #""plate" = excluded."plate", "load" = excluded."load" RETURNING "_osd_key", "_osd_entity""#,
      other: "INSERT INTO app.[Vehicle] ([_osd_key], [wheels], [plate], [load], [_osd_entity]) "
        + "VALUES ($1, $2, $3, $4, N'Truck') ON CONFLICT ([plate]) SET [wheels] = excluded.[wheels], "
        + "[plate] = excluded.[plate], [load] = excluded.[load] OUTPUT [_osd_key], [_osd_entity]"
    ) { try $0.rows.upsert(into: $0.table(Truck.self)) },
    StatementCase(
      "some columns", sqlite: #"UPDATE "Album" SET "year" = ?1 WHERE "_osd_key" = ?2"#,
      other: "UPDATE app.[Album] SET [year] = $1 WHERE [_osd_key] = $2"
    ) { try $0.rows.update($0.table(Album.self), mask: $0.property("year", of: Album.self).bit) },
    StatementCase(
      "a reference, which takes the row's place away",
      sqlite: #"UPDATE "Album" SET "band" = ?1, "_osd_position_band" = NULL WHERE "_osd_key" = ?2"#,
      other: "UPDATE app.[Album] SET [band] = $1, [_osd_position_band] = NULL WHERE [_osd_key] = $2"
    ) { try $0.rows.update($0.table(Album.self), mask: $0.property("band", of: Album.self).bit) },
    StatementCase(
      "nothing, to find out whether the row is there",
      sqlite: #"UPDATE "Album" SET "_osd_key" = "_osd_key" WHERE "_osd_key" = ?1"#,
      other: "UPDATE app.[Album] SET [_osd_key] = [_osd_key] WHERE [_osd_key] = $1"
    ) { try $0.rows.update($0.table(Album.self), mask: 0) },
    StatementCase(
      "a row's end", sqlite: #"DELETE FROM "Album" WHERE "_osd_key" = ?1"#,
      other: "DELETE FROM app.[Album] WHERE [_osd_key] = $1"
    ) { try $0.rows.delete(from: $0.table(Album.self)) },
  ]

  @Test("rows are written by their keys", arguments: writingCases)
  func writing(_ item: StatementCase) throws { try item.check(in: dialects) }

  static let referenceCases: [StatementCase] = [
    StatementCase(
      "unique values that others are about to get",
      sqlite: #"UPDATE "Band" SET "name" = randomblob(16) WHERE "_osd_key" = ?1"#,
      other: "UPDATE app.[Band] SET [name] = unique_text() WHERE [_osd_key] = $1"
    ) { writer in
      let table = try writer.table(Band.self)
      let sql = writer.rows.vacate(table, mask: table.entity.uniqueMask)
      return try #require(sql)
    },
    StatementCase(
      "references to another row", sqlite: #"UPDATE "Album" SET "band" = ?2 WHERE "band" = ?1"#,
      other: "UPDATE app.[Album] SET [band] = $2 WHERE [band] = $1"
    ) { try $0.rows.redirect($0.table(Album.self), at: $0.property("band", of: Album.self).position) },
    StatementCase(
      "references that may be empty", sqlite: #"UPDATE "Album" SET "band" = NULL WHERE "band" = ?1"#,
      other: "UPDATE app.[Album] SET [band] = NULL WHERE [band] = $1"
    ) { writer in
      let position = try writer.property("band", of: Album.self).position
      let sql = writer.rows.clear(try writer.table(Album.self), at: position)
      return try #require(sql)
    },
    StatementCase(
      "the place in a relationship", sqlite: #"UPDATE "Album" SET "_osd_position_band" = ?1 WHERE "_osd_key" = ?2"#,
      other: "UPDATE app.[Album] SET [_osd_position_band] = $1::real WHERE [_osd_key] = $2"
    ) { try $0.rows.setPosition(in: $0.table(Album.self), at: $0.property("band", of: Album.self).position) },
  ]

  @Test("references and unique values are changed by separate statements", arguments: referenceCases)
  func references(_ item: StatementCase) throws { try item.check(in: dialects) }

  @Test("an upsert names a unique index by its terms, without their sort order")
  func conflictTargets() throws {
    for model in [Band.self, Truck.self] as [any PersistentModel.Type] {
      let table = try dialects.other.table(model)
      let index = try #require(dialects.other.definition.indexes(of: table).first { $0.contains("UNIQUE") })
      let terms = try #require(index.split(separator: "] (").last?.dropLast()).replacing(" NULLS FIRST", with: "")
      #expect(dialects.other.rows.upsert(into: table).contains(" ON CONFLICT (\(terms)) SET "))
    }
  }

  @Test("no statement clears a required reference, or sets a reference to a temporary unique value")
  func impossible() throws {
    for writer in [dialects.sqlite, dialects.other] {
      let (cover, album) = (try writer.table(Cover.self), try writer.property("album", of: Cover.self))
      #expect(writer.rows.clear(cover, at: album.position) == nil)
      #expect(writer.rows.vacate(cover, mask: album.bit) == nil)
    }
  }
}
