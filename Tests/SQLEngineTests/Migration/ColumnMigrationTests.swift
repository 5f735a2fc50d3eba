import Foundation
import PersistenceCore
import Testing

private enum Old {
  @Model final class Note {
    var title: String
    var count: Int
    init(_ title: String) { (self.title, count) = (title, 0) }
  }
}

private enum WithNil {
  @Model final class Note {
    var title: String
    var count: Int
    var remark: String?
    init(_ title: String) { (self.title, count) = (title, 0) }
  }
}

private enum WithDefault {
  @Model final class Note {
    var title: String
    var count: Int
    var remark: String = "it's new"
    init(_ title: String) { (self.title, count) = (title, 0) }
  }
}

private enum WithBytes {
  @Model final class Note {
    var title: String
    var count: Int
    var bytes: Data = Data([1])
    init(_ title: String) { (self.title, count) = (title, 0) }
  }
}

private enum Short {
  @Model final class Note {
    var title: String
    init(_ title: String) { self.title = title }
  }
}

private enum Renamed {
  @Model final class Note {
    @Attribute(originalName: "title") var name: String
    var count: Int
    init(_ name: String) { (self.name, count) = (name, 0) }
  }
}

private enum Camel {
  @Model final class Note {
    var webPage: String
    init(_ webPage: String) { self.webPage = webPage }
  }
}

private enum Lower {
  @Model final class Note {
    @Attribute(originalName: "webPage") var webpage: String
    init(_ webpage: String) { self.webpage = webpage }
  }
}

private enum Real {
  @Model final class Note {
    var title: String
    var count: Double
    init(_ title: String) { (self.title, count) = (title, 0) }
  }
}

private enum Exact {
  @Model final class Note {
    var title: String
    var count: Decimal
    init(_ title: String) { (self.title, count) = (title, 0) }
  }
}

private enum Required {
  @Model final class Note {
    var title: String
    var count: Int
    var remark: String = "none"
    init(_ title: String) { (self.title, count) = (title, 0) }
  }
}

@Suite("Migration operations for changed attributes")
struct ColumnMigrationTests {
  static let alteredCases: [MigrationCase] = [
    MigrationCase("nothing changed", from: [Old.Note.self], to: [Old.Note.self], sqlite: [], other: []),
    MigrationCase(
      "a new attribute that may be nil", from: [Old.Note.self], to: [WithNil.Note.self],
      sqlite: [#"ALTER TABLE "Note" ADD COLUMN "remark" TEXT"#],
      other: ["ALTER TABLE app.[Note] ADD COLUMN [remark] VARCHAR COLLATE BYTES"]),
    MigrationCase(
      "a new attribute with a default", from: [Old.Note.self], to: [WithDefault.Note.self],
      sqlite: [#"ALTER TABLE "Note" ADD COLUMN "remark" TEXT NOT NULL DEFAULT 'it''s new'"#],
      other: ["ALTER TABLE app.[Note] ADD COLUMN [remark] VARCHAR COLLATE BYTES NOT NULL DEFAULT N'it''s new'"]),
    MigrationCase(
      "an attribute that is gone", from: [Old.Note.self], to: [Short.Note.self],
      sqlite: [#"ALTER TABLE "Note" DROP COLUMN "count""#], other: ["ALTER TABLE app.[Note] DROP COLUMN [count]"]),
    MigrationCase(
      "another name", from: [Old.Note.self], to: [Renamed.Note.self],
      sqlite: [#"ALTER TABLE "Note" RENAME COLUMN "title" TO "name""#],
      other: ["ALTER TABLE app.[Note] RENAME COLUMN [title] TO [name]"]),
  ]

  @Test("a table with added, removed or renamed columns is altered", arguments: alteredCases)
  func altered(_ item: MigrationCase) throws { try item.check() }

  static let copiedCases: [MigrationCase] = [
    MigrationCase(
      "a default that a dialect cannot give to a column", from: [Old.Note.self], to: [WithBytes.Note.self],
      sqlite: [#"ALTER TABLE "Note" ADD COLUMN "bytes" BLOB NOT NULL DEFAULT x'01'"#],
      other: [
        "ALTER TABLE app.[Note] RENAME TO [_osd_old_Note]",
        """
        CREATE TABLE app.[Note] (
          [_osd_key] BIGINT PRIMARY KEY,
          [title] VARCHAR COLLATE BYTES NOT NULL,
          [count] BIGINT NOT NULL,
          [bytes] BYTES NOT NULL
        )
        """,
        "INSERT INTO app.[Note] ([_osd_key], [title], [count], [bytes]) "
          + "SELECT [_osd_key], [title], [count], B64'AQ==' FROM app.[_osd_old_Note]",
        "DROP TABLE app.[_osd_old_Note]",
      ]),
    MigrationCase(
      "another name that a dialect takes for the same", from: [Camel.Note.self], to: [Lower.Note.self],
      sqlite: [
        #"ALTER TABLE "Note" RENAME TO "_osd_old_Note""#,
        """
        CREATE TABLE "Note" (
          "_osd_key" INTEGER PRIMARY KEY,
          "webpage" TEXT NOT NULL
        )
        """,
        #"INSERT INTO "Note" ("_osd_key", "webpage") SELECT "_osd_key", "webPage" FROM "_osd_old_Note""#,
        #"DROP TABLE "_osd_old_Note""#,
      ],
      other: ["ALTER TABLE app.[Note] RENAME COLUMN [webPage] TO [webpage]"]),
    MigrationCase(
      "several attributes that are gone", from: [WithNil.Note.self], to: [Short.Note.self],
      sqlite: [
        #"ALTER TABLE "Note" RENAME TO "_osd_old_Note""#,
        """
        CREATE TABLE "Note" (
          "_osd_key" INTEGER PRIMARY KEY,
          "title" TEXT NOT NULL
        )
        """,
        #"INSERT INTO "Note" ("_osd_key", "title") SELECT "_osd_key", "title" FROM "_osd_old_Note""#,
        #"DROP TABLE "_osd_old_Note""#,
      ],
      other: [
        "ALTER TABLE app.[Note] RENAME TO [_osd_old_Note]",
        """
        CREATE TABLE app.[Note] (
          [_osd_key] BIGINT PRIMARY KEY,
          [title] VARCHAR COLLATE BYTES NOT NULL
        )
        """,
        "INSERT INTO app.[Note] ([_osd_key], [title]) SELECT [_osd_key], [title] FROM app.[_osd_old_Note]",
        "DROP TABLE app.[_osd_old_Note]",
      ]),
    MigrationCase(
      "numbers that become decimals", from: [Old.Note.self], to: [Exact.Note.self],
      sqlite: [
        #"ALTER TABLE "Note" RENAME TO "_osd_old_Note""#,
        """
        CREATE TABLE "Note" (
          "_osd_key" INTEGER PRIMARY KEY,
          "title" TEXT NOT NULL,
          "count" /* Decimal */ TEXT NOT NULL
        )
        """,
        #"INSERT INTO "Note" ("_osd_key", "title", "count") "#
          + #"SELECT "_osd_key", "title", _osd_decimal("count") FROM "_osd_old_Note""#,
        #"DROP TABLE "_osd_old_Note""#,
      ],
      other: [
        "ALTER TABLE app.[Note] RENAME TO [_osd_old_Note]",
        """
        CREATE TABLE app.[Note] (
          [_osd_key] BIGINT PRIMARY KEY,
          [title] VARCHAR COLLATE BYTES NOT NULL,
          [count] NUMERIC NOT NULL
        )
        """,
        "INSERT INTO app.[Note] ([_osd_key], [title], [count]) "
          + "SELECT [_osd_key], [title], to_numeric([count]) FROM app.[_osd_old_Note]",
        "DROP TABLE app.[_osd_old_Note]",
      ]),
    MigrationCase(
      "what may be nil becomes required, with a default", from: [WithNil.Note.self], to: [Required.Note.self],
      sqlite: [
        #"ALTER TABLE "Note" RENAME TO "_osd_old_Note""#,
        """
        CREATE TABLE "Note" (
          "_osd_key" INTEGER PRIMARY KEY,
          "title" TEXT NOT NULL,
          "count" INTEGER NOT NULL,
          "remark" TEXT NOT NULL
        )
        """,
        #"INSERT INTO "Note" ("_osd_key", "title", "count", "remark") "#
          + #"SELECT "_osd_key", "title", "count", coalesce("remark", 'none') FROM "_osd_old_Note""#,
        #"DROP TABLE "_osd_old_Note""#,
      ],
      other: [
        "ALTER TABLE app.[Note] RENAME TO [_osd_old_Note]",
        """
        CREATE TABLE app.[Note] (
          [_osd_key] BIGINT PRIMARY KEY,
          [title] VARCHAR COLLATE BYTES NOT NULL,
          [count] BIGINT NOT NULL,
          [remark] VARCHAR COLLATE BYTES NOT NULL
        )
        """,
        "INSERT INTO app.[Note] ([_osd_key], [title], [count], [remark]) "
          + "SELECT [_osd_key], [title], [count], coalesce([remark], N'none') FROM app.[_osd_old_Note]",
        "DROP TABLE app.[_osd_old_Note]",
      ]),
  ]

  @Test("a table with changed columns is rebuilt and filled from the old table", arguments: copiedCases)
  func copied(_ item: MigrationCase) throws { try item.check() }

  static let roundedCases: [MigrationCase] = [
    MigrationCase(
      "whole numbers that become floating-point ones", from: [Old.Note.self], to: [Real.Note.self],
      sqlite: [
        #"SELECT "_osd_key", "count" FROM "Note" WHERE (typeof("count") = 'blob' "#
          + #"OR CAST(CAST("count" AS REAL) AS INTEGER) <> "count" OR "count" = 9223372036854775807) LIMIT 6 "#
          + "-- must find nothing",
        #"ALTER TABLE "Note" RENAME TO "_osd_old_Note""#,
        """
        CREATE TABLE "Note" (
          "_osd_key" INTEGER PRIMARY KEY,
          "title" TEXT NOT NULL,
          "count" REAL NOT NULL
        )
        """,
        #"INSERT INTO "Note" ("_osd_key", "title", "count") "#
          + #"SELECT "_osd_key", "title", CAST("count" AS REAL) FROM "_osd_old_Note""#,
        #"DROP TABLE "_osd_old_Note""#,
      ],
      other: [
        "SELECT [_osd_key], [count] FROM app.[Note] WHERE is_rounded([count]) "
          + "FETCH FIRST 6 ROWS ONLY -- must find nothing",
        "ALTER TABLE app.[Note] RENAME TO [_osd_old_Note]",
        """
        CREATE TABLE app.[Note] (
          [_osd_key] BIGINT PRIMARY KEY,
          [title] VARCHAR COLLATE BYTES NOT NULL,
          [count] DOUBLE NOT NULL
        )
        """,
        "INSERT INTO app.[Note] ([_osd_key], [title], [count]) "
          + "SELECT [_osd_key], [title], to_double([count]) FROM app.[_osd_old_Note]",
        "DROP TABLE app.[_osd_old_Note]",
      ])
  ]

  @Test("the migration first searches for numbers that would be rounded", arguments: roundedCases)
  func rounded(_ item: MigrationCase) throws { try item.check() }
}
