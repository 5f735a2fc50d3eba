import Foundation
import PersistenceCore
import Testing

@Suite("Relationships as SQL")
struct RelationshipTests {
  private let dialects: Dialects

  init() throws { dialects = try Dialects(Models.music) }

  static let toOneCases: [PredicateCase<Album>] = {
    let band = PersistentIdentifier(row: 7, of: StoreEntity(store: "store", name: "Band"))
    return [
      .init(
        "a property of what it leads to", #Predicate { $0.band?.name == "a" },
        sqlite: #"LEFT JOIN "Band" AS t1 ON t1."_osd_key" = "Album"."band" WHERE t1."name" = ?1"#,
        other: "LEFT JOIN app.[Band] AS t1 ON t1.[_osd_key] = [Album].[band] WHERE t1.[name] = $1"),
      .init("nothing", #Predicate { $0.band == nil }, sqlite: #""band" IS NULL"#, other: "[band] IS NULL"),
      .init("something", #Predicate { $0.band != nil }, sqlite: #""band" IS NOT NULL"#, other: "[band] IS NOT NULL"),
      .init(
        "the identifier of what it leads to", #Predicate { $0.band?.persistentModelID == band },
        sqlite: #""band" = ?1"#, other: "[band] = $1"),
      .init(
        "the end without a column", #Predicate { $0.cover != nil },
        sqlite: #"LEFT JOIN "Cover" AS t1 ON t1."_osd_key" = (SELECT max("_osd_key") FROM "Cover" AS i "#
          + #"WHERE i."album" = "Album"."_osd_key") WHERE t1."_osd_key" IS NOT NULL"#,
        other: "LEFT JOIN app.[Cover] AS t1 ON t1.[_osd_key] = (SELECT max([_osd_key]) FROM app.[Cover] AS i "
          + "WHERE i.[album] = [Album].[_osd_key]) WHERE t1.[_osd_key] IS NOT NULL"),
    ]
  }()

  @Test("a to-one relationship is a column; a property of its destination is a join", arguments: toOneCases)
  func toOne(_ item: PredicateCase<Album>) throws { try item.check(in: dialects) }

  static let pathCases: [PredicateCase<Cover>] = [
    .init(
      "required", #Predicate { $0.album.year > 2000 },
      sqlite: #"LEFT JOIN "Album" AS t1 ON t1."_osd_key" = "Cover"."album" WHERE t1."year" > ?1"#,
      other: "LEFT JOIN app.[Album] AS t1 ON t1.[_osd_key] = [Cover].[album] WHERE t1.[year] > $1"),
    .init(
      "of two steps", #Predicate { $0.album.band?.name == "a" },
      sqlite: #"LEFT JOIN "Album" AS t1 ON t1."_osd_key" = "Cover"."album" "#
        + #"LEFT JOIN "Band" AS t2 ON t2."_osd_key" = t1."band" WHERE t2."name" = ?1"#,
      other: "LEFT JOIN app.[Album] AS t1 ON t1.[_osd_key] = [Cover].[album] "
        + "LEFT JOIN app.[Band] AS t2 ON t2.[_osd_key] = t1.[band] WHERE t2.[name] = $1"),
    .init(
      "followed twice is joined once", #Predicate { $0.album.year > 2000 && $0.album.title == "a" },
      sqlite: #"LEFT JOIN "Album" AS t1 ON t1."_osd_key" = "Cover"."album" "#
        + #"WHERE t1."year" > ?1 AND t1."title" = ?2"#,
      other: "LEFT JOIN app.[Album] AS t1 ON t1.[_osd_key] = [Cover].[album] "
        + "WHERE t1.[year] > $1 AND t1.[title] = $2"),
  ]

  @Test("each step of a path is a join", arguments: pathCases)
  func path(_ item: PredicateCase<Cover>) throws { try item.check(in: dialects) }

  static let toManyCases: [PredicateCase<Band>] = {
    let album = PersistentIdentifier(row: 7, of: StoreEntity(store: "store", name: "Album"))
    return [
      .init(
        "one of them", #Predicate { $0.albums.contains { $0.year > 2000 } },
        sqlite: #"EXISTS (SELECT 1 FROM "Album" AS t1 WHERE t1."band" = "Band"."_osd_key" AND (t1."year" > ?1))"#,
        other: "EXISTS (SELECT 1 FROM app.[Album] AS t1 WHERE t1.[band] = [Band].[_osd_key] AND (t1.[year] > $1))"),
      .init(
        "all of them", #Predicate { $0.albums.allSatisfy { $0.year > 2000 } },
        sqlite: #"NOT (EXISTS (SELECT 1 FROM "Album" AS t1 WHERE t1."band" = "Band"."_osd_key" "#
          + #"AND (NOT (t1."year" > ?1))))"#,
        other: "NOT (EXISTS (SELECT 1 FROM app.[Album] AS t1 WHERE t1.[band] = [Band].[_osd_key] "
          + "AND (NOT (t1.[year] > $1))))"),
      .init(
        "none", #Predicate { $0.albums.isEmpty },
        sqlite: #"NOT (EXISTS (SELECT 1 FROM "Album" AS t1 WHERE t1."band" = "Band"."_osd_key"))"#,
        other: "NOT (EXISTS (SELECT 1 FROM app.[Album] AS t1 WHERE t1.[band] = [Band].[_osd_key]))"),
      .init(
        "how many", #Predicate { $0.albums.count == 2 },
        sqlite: #"(SELECT count(*) FROM "Album" AS t1 WHERE t1."band" = "Band"."_osd_key") = ?1"#,
        other: "(SELECT count(*) FROM app.[Album] AS t1 WHERE t1.[band] = [Band].[_osd_key]) = $1"),
      .init(
        "how many of some", #Predicate { $0.albums.filter { $0.year > 2000 }.count > 1 },
        sqlite: #"(SELECT count(*) FROM "Album" AS t1 WHERE t1."band" = "Band"."_osd_key" AND (t1."year" > ?1)) > ?2"#,
        other: "(SELECT count(*) FROM app.[Album] AS t1 WHERE t1.[band] = [Band].[_osd_key] AND (t1.[year] > $1)) > $2"),
      .init(
        "one by its identifier", #Predicate { $0.albums.contains { $0.persistentModelID == album } },
        sqlite: #"EXISTS (SELECT 1 FROM "Album" AS t1 WHERE t1."band" = "Band"."_osd_key" AND (t1."_osd_key" = ?1))"#,
        other: "EXISTS (SELECT 1 FROM app.[Album] AS t1 WHERE t1.[band] = [Band].[_osd_key] AND (t1.[_osd_key] = $1))"),
      .init(
        "one whose own relationship is followed", #Predicate { $0.albums.contains { $0.cover?.width == 3 } },
        sqlite: #"EXISTS (SELECT 1 FROM "Album" AS t1 LEFT JOIN "Cover" AS t2 ON t2."_osd_key" = "#
          + #"(SELECT max("_osd_key") FROM "Cover" AS i WHERE i."album" = t1."_osd_key") "#
          + #"WHERE t1."band" = "Band"."_osd_key" AND (t2."width" = ?1))"#,
        other: "EXISTS (SELECT 1 FROM app.[Album] AS t1 LEFT JOIN app.[Cover] AS t2 ON t2.[_osd_key] = "
          + "(SELECT max([_osd_key]) FROM app.[Cover] AS i WHERE i.[album] = t1.[_osd_key]) "
          + "WHERE t1.[band] = [Band].[_osd_key] AND (t2.[width] = $1))"),
    ]
  }()

  @Test("a to-many relationship is a subquery", arguments: toManyCases)
  func toMany(_ item: PredicateCase<Band>) throws { try item.check(in: dialects) }

  static let pairCases: [PredicateCase<Band>] = {
    let fan = PersistentIdentifier(row: 7, of: StoreEntity(store: "store", name: "Fan"))
    return [
      .init(
        "a property of one", #Predicate { $0.fans.contains { $0.age > 3 } },
        sqlite: #"EXISTS (SELECT 1 FROM "_osd_link_Band_fans" AS l1 JOIN "Fan" AS t1 ON t1."_osd_key" = l1."target" "#
          + #"WHERE l1."owner" = "Band"."_osd_key" AND (t1."age" > ?1))"#,
        other: "EXISTS (SELECT 1 FROM app.[_osd_link_Band_fans] AS l1 JOIN app.[Fan] AS t1 "
          + "ON t1.[_osd_key] = l1.[target] WHERE l1.[owner] = [Band].[_osd_key] AND (t1.[age] > $1))"),
      .init(
        "none, without their table", #Predicate { $0.fans.isEmpty },
        sqlite: #"NOT (EXISTS (SELECT 1 FROM "_osd_link_Band_fans" AS l1 WHERE l1."owner" = "Band"."_osd_key"))"#,
        other: "NOT (EXISTS (SELECT 1 FROM app.[_osd_link_Band_fans] AS l1 WHERE l1.[owner] = [Band].[_osd_key]))"),
      .init(
        "one by its identifier, without their table", #Predicate { $0.fans.contains { $0.persistentModelID == fan } },
        sqlite: #"EXISTS (SELECT 1 FROM "_osd_link_Band_fans" AS l1 "#
          + #"WHERE l1."owner" = "Band"."_osd_key" AND (l1."target" = ?1))"#,
        other: "EXISTS (SELECT 1 FROM app.[_osd_link_Band_fans] AS l1 "
          + "WHERE l1.[owner] = [Band].[_osd_key] AND (l1.[target] = $1))"),
      .init(
        "of a relationship that nothing leads back from", #Predicate { $0.venues.contains { $0.city == "a" } },
        sqlite: #"EXISTS (SELECT 1 FROM "_osd_link_Band_venues" AS l1 JOIN "Venue" AS t1 "#
          + #"ON t1."_osd_key" = l1."target" WHERE l1."owner" = "Band"."_osd_key" AND (t1."city" = ?1))"#,
        other: "EXISTS (SELECT 1 FROM app.[_osd_link_Band_venues] AS l1 JOIN app.[Venue] AS t1 "
          + "ON t1.[_osd_key] = l1.[target] WHERE l1.[owner] = [Band].[_osd_key] AND (t1.[city] = $1))"),
    ]
  }()

  @Test("a many-to-many relationship is a subquery over its join table", arguments: pairCases)
  func pairs(_ item: PredicateCase<Band>) throws { try item.check(in: dialects) }

  static let reversedPairCases: [PredicateCase<Fan>] = [
    .init(
      "a property of one", #Predicate { $0.bands.contains { $0.name == "a" } },
      sqlite: #"EXISTS (SELECT 1 FROM "_osd_link_Band_fans" AS l1 JOIN "Band" AS t1 ON t1."_osd_key" = l1."owner" "#
        + #"WHERE l1."target" = "Fan"."_osd_key" AND (t1."name" = ?1))"#,
      other: "EXISTS (SELECT 1 FROM app.[_osd_link_Band_fans] AS l1 JOIN app.[Band] AS t1 "
        + "ON t1.[_osd_key] = l1.[owner] WHERE l1.[target] = [Fan].[_osd_key] AND (t1.[name] = $1))"),
    .init(
      "the model itself among the others of one",
      #Predicate { fan in fan.bands.contains { band in band.fans.contains(fan) } },
      sqlite: #"EXISTS (SELECT 1 FROM "_osd_link_Band_fans" AS l1 WHERE l1."target" = "Fan"."_osd_key" "#
        + #"AND (l1."owner" IN (SELECT l2."owner" FROM "_osd_link_Band_fans" AS l2 "#
        + #"WHERE l2."target" = "Fan"."_osd_key")))"#,
      other: "EXISTS (SELECT 1 FROM app.[_osd_link_Band_fans] AS l1 WHERE l1.[target] = [Fan].[_osd_key] "
        + "AND (l1.[owner] IN (SELECT l2.[owner] FROM app.[_osd_link_Band_fans] AS l2 "
        + "WHERE l2.[target] = [Fan].[_osd_key])))"),
  ]

  @Test("the inverse end reads the join table in reverse", arguments: reversedPairCases)
  func reversedPairs(_ item: PredicateCase<Fan>) throws { try item.check(in: dialects) }
}
