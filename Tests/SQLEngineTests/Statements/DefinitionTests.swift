import Foundation
import PersistenceCore
import SQLEngine
import Testing

@Suite("Tables of models")
struct DefinitionTests {
  private let dialects: Dialects

  init() throws { dialects = try Dialects(Models.music + Models.vehicles + [Record.self, Pin.self]) }

  static let tableCases: [StatementCase] = [
    StatementCase(
      "a column for each attribute, and one for each member of a struct",
      sqlite: """
        CREATE TABLE "Record" (
          "_osd_key" INTEGER PRIMARY KEY,
          "code" TEXT NOT NULL,
          "title" TEXT NOT NULL,
          "note" TEXT,
          "remark" TEXT,
          "count" INTEGER NOT NULL,
          "rest" INTEGER,
          "size" /* UInt64: 8 bytes above Int64.max */ INTEGER NOT NULL,
          "weight" REAL NOT NULL,
          "height" REAL NOT NULL,
          "ratio" REAL,
          "price" /* Decimal */ TEXT NOT NULL,
          "isOpen" /* Bool */ INTEGER NOT NULL,
          "isGood" /* Bool */ INTEGER,
          "date" /* Date: seconds since 2001-01-01 UTC */ REAL NOT NULL,
          "token" /* UUID */ BLOB NOT NULL,
          "bytes" BLOB NOT NULL,
          "grade" INTEGER NOT NULL,
          "tags" /* Codable: JSON */ TEXT NOT NULL,
          "marks" /* Codable: JSON */ TEXT NOT NULL,
          "spot_city" TEXT NOT NULL,
          "spot_zip" INTEGER,
          "former_city" TEXT,
          "former_zip" INTEGER
        )
        """,
      other: """
        CREATE TABLE app.[Record] (
          [_osd_key] BIGINT PRIMARY KEY,
          [code] VARCHAR COLLATE BYTES NOT NULL,
          [title] VARCHAR COLLATE BYTES NOT NULL,
          [note] VARCHAR COLLATE BYTES,
          [remark] VARCHAR COLLATE BYTES,
          [count] BIGINT NOT NULL,
          [rest] BIGINT,
          [size] NUMERIC(20) NOT NULL,
          [weight] DOUBLE NOT NULL,
          [height] DOUBLE NOT NULL,
          [ratio] DOUBLE,
          [price] NUMERIC NOT NULL,
          [isOpen] BIGINT NOT NULL,
          [isGood] BIGINT,
          [date] DOUBLE NOT NULL,
          [token] BYTES NOT NULL,
          [bytes] BYTES NOT NULL,
          [grade] BIGINT NOT NULL,
          [tags] JSON NOT NULL,
          [marks] JSON NOT NULL,
          [spot_city] VARCHAR COLLATE BYTES NOT NULL,
          [spot_zip] BIGINT,
          [former_city] VARCHAR COLLATE BYTES,
          [former_zip] BIGINT
        )
        """
    ) { try $0.definition.table($0.table(Record.self)) },
    StatementCase(
      "a reference follows the delete rule of its inverse, beside the row's place there",
      sqlite: """
        CREATE TABLE "Album" (
          "_osd_key" INTEGER PRIMARY KEY,
          "title" TEXT NOT NULL,
          "year" INTEGER NOT NULL,
          "band" INTEGER REFERENCES "Band" ("_osd_key") ON DELETE CASCADE DEFERRABLE INITIALLY DEFERRED,
          "_osd_position_band" REAL
        )
        """,
      other: """
        CREATE TABLE app.[Album] (
          [_osd_key] BIGINT PRIMARY KEY,
          [title] VARCHAR COLLATE BYTES NOT NULL,
          [year] BIGINT NOT NULL,
          [band] BIGINT,
          [_osd_position_band] DOUBLE
        )
        """
    ) { try $0.definition.table($0.table(Album.self)) },
    StatementCase(
      "a required reference keeps what it leads to",
      sqlite: """
        CREATE TABLE "Cover" (
          "_osd_key" INTEGER PRIMARY KEY,
          "width" INTEGER NOT NULL,
          "album" INTEGER NOT NULL REFERENCES "Album" ("_osd_key") ON DELETE NO ACTION DEFERRABLE INITIALLY DEFERRED
        )
        """,
      other: """
        CREATE TABLE app.[Cover] (
          [_osd_key] BIGINT PRIMARY KEY,
          [width] BIGINT NOT NULL,
          [album] BIGINT NOT NULL
        )
        """
    ) { try $0.definition.table($0.table(Cover.self)) },
    StatementCase(
      "a reference that nothing leads back to is emptied",
      sqlite: """
        CREATE TABLE "Band" (
          "_osd_key" INTEGER PRIMARY KEY,
          "name" TEXT NOT NULL,
          "leader" INTEGER REFERENCES "Fan" ("_osd_key") ON DELETE SET NULL DEFERRABLE INITIALLY DEFERRED
        )
        """,
      other: """
        CREATE TABLE app.[Band] (
          [_osd_key] BIGINT PRIMARY KEY,
          [name] VARCHAR COLLATE BYTES NOT NULL,
          [leader] BIGINT
        )
        """
    ) { try $0.definition.table($0.table(Band.self)) },
    StatementCase(
      "a hierarchy is one table, where what a subclass adds may be missing",
      sqlite: """
        CREATE TABLE "Vehicle" (
          "_osd_key" INTEGER PRIMARY KEY,
          "_osd_entity" TEXT NOT NULL,
          "wheels" INTEGER NOT NULL,
          "seats" INTEGER,
          "plate" TEXT,
          "load" INTEGER
        )
        """,
      other: """
        CREATE TABLE app.[Vehicle] (
          [_osd_key] BIGINT PRIMARY KEY,
          [_osd_entity] VARCHAR COLLATE BYTES NOT NULL,
          [wheels] BIGINT NOT NULL,
          [seats] BIGINT,
          [plate] VARCHAR COLLATE BYTES,
          [load] BIGINT
        )
        """
    ) { try $0.definition.table($0.table(Vehicle.self)) },
  ]

  @Test("a table has a column for each stored value", arguments: tableCases)
  func tables(_ item: StatementCase) throws { try item.check(in: dialects) }

  private static func text(ofIndexes writer: StatementWriter, _ model: any PersistentModel.Type) throws -> String {
    writer.definition.indexes(of: try writer.table(model)).joined(separator: "\n")
  }

  static let indexCases: [StatementCase] = [
    StatementCase(
      "what is unique comes before what is looked up",
      sqlite: """
        CREATE UNIQUE INDEX "_osd_unique_Record_code" ON "Record" ("code")
        CREATE INDEX "_osd_index_Record_title" ON "Record" ("title")
        CREATE INDEX "_osd_index_Record_count_rest" ON "Record" ("count", "rest")
        """,
      other: """
        CREATE UNIQUE INDEX [_osd_unique_Record_code] ON app.[Record] ([code] NULLS FIRST)
        CREATE INDEX [_osd_index_Record_title] ON app.[Record] ([title] NULLS FIRST)
        CREATE INDEX [_osd_index_Record_count_rest] ON app.[Record] ([count] NULLS FIRST, [rest] NULLS FIRST)
        """
    ) { try text(ofIndexes: $0, Record.self) },
    StatementCase(
      "a reference with the place of its row",
      sqlite: #"CREATE INDEX "_osd_reference_Album_band__osd_position_band" ON "Album" ("band", "_osd_position_band")"#,
      other: "CREATE INDEX [_osd_reference_Album_band__osd_position_band] ON app.[Album] "
        + "([band] NULLS FIRST, [_osd_position_band] NULLS FIRST)"
    ) { try text(ofIndexes: $0, Album.self) },
    StatementCase(
      "the rows of each class of a hierarchy",
      sqlite: #"CREATE INDEX "_osd_entity_Vehicle" ON "Vehicle" ("_osd_entity")"#,
      other: "CREATE INDEX [_osd_entity_Vehicle] ON app.[Vehicle] ([_osd_entity] NULLS FIRST)"
    ) { try text(ofIndexes: $0, Vehicle.self) },
    StatementCase(
      "what a subclass adds, in the table of its root",
      sqlite: #"CREATE UNIQUE INDEX "_osd_unique_Truck_plate" ON "Vehicle" ("plate")"#,
      other: "CREATE UNIQUE INDEX [_osd_unique_Truck_plate] ON app.[Vehicle] ([plate] NULLS FIRST)"
    ) { try text(ofIndexes: $0, Truck.self) },
  ]

  @Test("indexes have the order of comparisons in queries", arguments: indexCases)
  func indexes(_ item: StatementCase) throws { try item.check(in: dialects) }

  static let linkCases: [StatementCase] = [
    StatementCase(
      "one for both ends",
      sqlite: """
        CREATE TABLE "_osd_link_Band_fans" (
          "_osd_key" INTEGER PRIMARY KEY,
          "owner" INTEGER NOT NULL REFERENCES "Band" ("_osd_key") ON DELETE CASCADE DEFERRABLE INITIALLY DEFERRED,
          "target" INTEGER NOT NULL REFERENCES "Fan" ("_osd_key") ON DELETE CASCADE DEFERRABLE INITIALLY DEFERRED,
          "target_position" REAL,
          "owner_position" REAL,
          UNIQUE ("owner", "target")
        )
        CREATE INDEX "_osd_link_Band_fans_target" ON "_osd_link_Band_fans" ("target")
        """,
      other: """
        CREATE TABLE app.[_osd_link_Band_fans] (
          [_osd_key] BIGINT GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY,
          [owner] BIGINT NOT NULL,
          [target] BIGINT NOT NULL,
          [target_position] DOUBLE,
          [owner_position] DOUBLE,
          UNIQUE ([owner], [target])
        )
        CREATE INDEX [_osd_link_Band_fans_target] ON app.[_osd_link_Band_fans] ([target])
        """
    ) { try $0.definition.links(of: $0.table(Band.self)).prefix(2).joined(separator: "\n") },
    StatementCase("none for the end that does not define it", sqlite: "", other: "") {
      try $0.definition.links(of: $0.table(Fan.self)).joined()
    },
  ]

  @Test("many-to-many relationships have a join table", arguments: linkCases)
  func links(_ item: StatementCase) throws { try item.check(in: dialects) }

  @Test("references are declared with their columns, or added after all tables")
  func references() throws {
    let (sqlite, other) = (dialects.sqlite, dialects.other)
    #expect(!sqlite.definition.statements(for: sqlite.database).contains { $0.hasPrefix("ALTER TABLE") })
    let statements = other.definition.statements(for: other.database)
    let first = try #require(statements.firstIndex { $0.hasPrefix("ALTER TABLE") })
    #expect(!statements[first...].contains { $0.hasPrefix("CREATE TABLE") })
    #expect(
      statements.contains(
        "ALTER TABLE app.[Cover] ADD CONSTRAINT [Cover_album] FOREIGN KEY ([album]) "
          + "REFERENCES app.[Album] ON DELETE NO ACTION"))
    #expect(
      statements.contains(
        "ALTER TABLE app.[_osd_link_Band_fans] ADD CONSTRAINT [_osd_link_Band_fans_target] FOREIGN KEY ([target]) "
          + "REFERENCES app.[Fan] ON DELETE CASCADE"))
  }

  @Test("tables are created with their indexes, then join tables, then spatial indexes")
  func order() throws {
    let statements = dialects.other.definition.statements(for: dialects.other.database)
    let starts = statements.map { sql in
      sql.split(separator: " ").prefix { !$0.hasPrefix("[") }.joined(separator: " ")
    }
    let link = "CREATE TABLE app.[_osd_link_"
    let firstLink = try #require(statements.firstIndex { $0.hasPrefix(link) })
    #expect(!statements[firstLink...].contains { $0.hasPrefix("CREATE TABLE ") && !$0.hasPrefix(link) })
    #expect(starts[..<firstLink].contains("CREATE UNIQUE INDEX"))
    #expect(!starts[..<firstLink].contains("CREATE SPATIAL INDEX"))
    #expect(starts.last == "CREATE SPATIAL INDEX")
  }
}
