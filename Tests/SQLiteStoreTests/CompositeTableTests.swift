import Foundation
import PersistenceCore
import SQLEngine
import Testing

@testable import SQLiteStore

private struct Point: Codable, Equatable {
  var x: Double
  var y: Double
}

private struct Location: Codable, Equatable {
  var city: String
  var point: Point
}

private struct Tag: Codable, Equatable {
  var text: String?
}

@Model
private final class Trip {
  #Index<Trip>([\.location.city], [\.former?.point.x], [\.tag])
  #Unique<Trip>([\.location.point.y, \.location_city])

  // swift-format-ignore: AlwaysUseLowerCamelCase
  var location_city: Int
  var location: Location
  var former: Location?
  var tag: Tag?

  init(location: Location) {
    self.location = location
    location_city = 0
  }
}

@Suite("Tables of entities with struct attributes")
struct CompositeTableTests {
  private let engine: SQLiteStoreEngine
  private let layout: EntityLayout

  init() throws {
    let layouts = try EntityLayout.layouts(of: Schema([Trip.self]))
    layout = try #require(layouts.first)
    engine = try SQLiteStoreEngine(
      SQLiteStoreRequest(
        configuration: SQLiteStoreConfiguration(location: .memory),
        statementMemory: SQLiteDialect.statementMemory(of: layouts), schemaJSON: "{}",
        migration: SQLiteMigrationRequest { _ in nil }))
  }

  private func statement(
    _ predicate: Predicate<Trip>, sort: [SortTerm] = [], purpose: RequestPurpose = .keys
  ) throws -> String {
    let tree = try PredicateTranslator.translate(predicate, entity: layout)
    let request = FetchRequest(entity: layout, selection: .matching(tree), sort: sort)
    let table = try engine.database.table(for: layout)
    return try RequestStatement(
      RequestShape(request, purpose: purpose, table: table), table: table, database: engine.database,
      dialect: SQLiteDialect()
    ).sql
  }

  private func condition(_ predicate: Predicate<Trip>) throws -> String {
    try statement(predicate, purpose: .count).replacing(#"SELECT count(*) FROM "Trip" WHERE "#, with: "")
  }

  @Test("each member of a struct has a column with a readable name")
  func table() throws {
    let table = try engine.database.table(for: layout)
    #expect(
      SchemaDefinition(dialect: SQLiteDialect()).table(table) == """
        CREATE TABLE "Trip" (
          "_osd_key" INTEGER PRIMARY KEY,
          "location_city" INTEGER NOT NULL,
          "location_city_2" TEXT NOT NULL,
          "location_point_x" REAL NOT NULL,
          "location_point_y" REAL NOT NULL,
          "former_city" TEXT,
          "former_point_x" REAL,
          "former_point_y" REAL,
          "tag" INTEGER,
          "tag_text" TEXT
        )
        """)
  }

  @Test("members of a struct can have indexes")
  func indexes() throws {
    let table = try engine.database.table(for: layout)
    #expect(
      SchemaDefinition(dialect: SQLiteDialect()).indexes(of: table).map { $0.replacing(#"ON "Trip" "#, with: "") } == [
        #"CREATE UNIQUE INDEX "_osd_unique_Trip_location_point_y_location_city" "#
          + #"("location_point_y", "location_city")"#,
        #"CREATE INDEX "_osd_index_Trip_tag_tag_text" ("tag", "tag_text")"#,
        #"CREATE INDEX "_osd_index_Trip_location_city_2" ("location_city_2")"#,
        #"CREATE INDEX "_osd_index_Trip_former_point_x" ("former_point_x")"#,
      ])
  }

  @Test("a condition on a member is a condition on its column")
  func conditions() throws {
    let point = Point(x: 1, y: 2)
    #expect(try condition(#Predicate { $0.location.city == "Oslo" }) == #""location_city_2" = ?1"#)
    #expect(try condition(#Predicate { $0.former?.city == "Oslo" }) == #""former_city" = ?1"#)
    #expect(try condition(#Predicate { $0.former == nil }) == #""former_city" IS NULL"#)
    #expect(try condition(#Predicate { $0.tag != nil }) == #""tag" IS NOT NULL"#)
    #expect(
      try condition(#Predicate { $0.location.point == point })
        == #""location_point_x" = ?1 AND "location_point_y" = ?2"#)
  }

  @Test("a predicate on a member uses its index")
  func searches() throws {
    let city = try engine.plan(statement(#Predicate { $0.location.city == "Oslo" }))
    #expect(city.contains("USING COVERING INDEX _osd_index_Trip_location_city_2"))
    let range = try engine.plan(statement(#Predicate { $0.former.flatMap { $0.point.x > 3 } ?? false }))
    #expect(range.contains("USING COVERING INDEX _osd_index_Trip_former_point_x"), "\(range)")
    let optional = try engine.plan(statement(#Predicate { $0.former?.point.x == 3 }))
    #expect(optional.contains("USING COVERING INDEX _osd_index_Trip_former_point_x"))
    let presence = try engine.plan(statement(#Predicate { $0.tag == nil }))
    #expect(presence.contains("USING COVERING INDEX _osd_index_Trip_tag_tag_text"))
  }

  @Test("a sort by a member uses the member's index")
  func orders() throws {
    let terms = try SortTranslator.translate([SortDescriptor(\Trip.location.city)], entity: layout)
    let plan = try engine.plan(statement(#Predicate { _ in true }, sort: terms))
    #expect(plan.contains("_osd_index_Trip_location_city_2") && !plan.contains("TEMP B-TREE"), "\(plan)")
  }

  @Test("changing one member of a struct writes only the columns of this struct's property")
  func update() throws {
    let table = try engine.database.table(for: layout)
    let sql = RowStatements(dialect: SQLiteDialect()).update(table, mask: layout.properties[1].bit)
    #expect(
      sql == #"UPDATE "Trip" SET "location_city_2" = ?1, "location_point_x" = ?2, "location_point_y" = ?3 "#
        + #"WHERE "_osd_key" = ?4"#)
  }
}
