import Foundation
import PersistenceCore
import SQLEngine
import SQLiteStore
import Testing

private enum Plain {
  @Model final class Note {
    var title: String
    init(_ title: String) { self.title = title }
  }
  @Model final class Tag {
    var name: String
    init(_ name: String) { self.name = name }
  }
}

private enum Indexed {
  @Model final class Note {
    #Index<Note>([\.title])
    var title: String
    init(_ title: String) { self.title = title }
  }
}

private enum Distinct {
  @Model final class Note {
    @Attribute(.unique) var title: String
    init(_ title: String) { self.title = title }
  }
}

private enum Renamed {
  @Model(originalName: "Note") final class Memo {
    var title: String
    init(_ title: String) { self.title = title }
  }
}

private enum Alone {
  @Model class Vehicle {
    var wheels: Int
    init(_ wheels: Int) { self.wheels = wheels }
  }
}

private enum Family {
  @Model class Vehicle {
    var wheels: Int
    init(_ wheels: Int) { self.wheels = wheels }
  }
  @Model final class Bus: Vehicle {
    var seats: Int = 0
    init(_ wheels: Int, seats: Int) {
      super.init(wheels)
      self.seats = seats
    }
  }
  @Model final class Van: Vehicle {
    var load: Int = 0
    init(_ wheels: Int, load: Int) {
      super.init(wheels)
      self.load = load
    }
  }
}

private enum SmallFamily {
  @Model class Vehicle {
    var wheels: Int
    init(_ wheels: Int) { self.wheels = wheels }
  }
  @Model final class Bus: Vehicle {
    var seats: Int = 0
    init(_ wheels: Int, seats: Int) {
      super.init(wheels)
      self.seats = seats
    }
  }
}

@Suite("Migration operations for changed entities and constraints")
struct EntityMigrationTests {
  static let entityCases: [MigrationCase] = [
    MigrationCase(
      "a new one", from: [Plain.Note.self], to: [Plain.Note.self, Plain.Tag.self],
      sqlite: [
        """
        CREATE TABLE "Tag" (
          "_osd_key" INTEGER PRIMARY KEY,
          "name" TEXT NOT NULL
        )
        """
      ],
      other: [
        """
        CREATE TABLE app.[Tag] (
          [_osd_key] BIGINT PRIMARY KEY,
          [name] VARCHAR COLLATE BYTES NOT NULL
        )
        """
      ]),
    MigrationCase(
      "one that is gone", from: [Plain.Note.self, Plain.Tag.self], to: [Plain.Note.self],
      sqlite: [#"ALTER TABLE "Tag" RENAME TO "_osd_old_Tag""#, #"DROP TABLE "_osd_old_Tag""#],
      other: ["ALTER TABLE app.[Tag] RENAME TO [_osd_old_Tag]", "DROP TABLE app.[_osd_old_Tag]"]),
    MigrationCase(
      "one with another name, whose keys go on", from: [Plain.Note.self], to: [Renamed.Memo.self],
      sqlite: [
        #"ALTER TABLE "Note" RENAME TO "_osd_old_Note""#,
        """
        CREATE TABLE "Memo" (
          "_osd_key" INTEGER PRIMARY KEY,
          "title" TEXT NOT NULL
        )
        """,
        #"INSERT INTO "Memo" ("_osd_key", "title") SELECT "_osd_key", "title" FROM "_osd_old_Note""#,
        "INSERT INTO counters (entity, next) SELECT 'Memo', 1 + (SELECT max(value) FROM "
          + #"(SELECT coalesce((SELECT max("_osd_key") FROM "_osd_old_Note"), 0) AS value "#
          + "UNION ALL SELECT coalesce((SELECT next - 1 FROM counters WHERE entity = 'Note'), 0)) AS keys) WHERE true "
          + "ON CONFLICT (entity) DO UPDATE SET next = CASE WHEN excluded.next > counters.next THEN excluded.next "
          + "ELSE counters.next END",
        #"DROP TABLE "_osd_old_Note""#,
      ],
      other: [
        "ALTER TABLE app.[Note] RENAME TO [_osd_old_Note]",
        """
        CREATE TABLE app.[Memo] (
          [_osd_key] BIGINT PRIMARY KEY,
          [title] VARCHAR COLLATE BYTES NOT NULL
        )
        """,
        "INSERT INTO app.[Memo] ([_osd_key], [title]) SELECT [_osd_key], [title] FROM app.[_osd_old_Note]",
        "INSERT INTO counters (entity, next) SELECT N'Memo', 1 + (SELECT max(value) FROM "
          + "(SELECT coalesce((SELECT max([_osd_key]) FROM app.[_osd_old_Note]), 0) AS value "
          + "UNION ALL SELECT coalesce((SELECT next - 1 FROM counters WHERE entity = N'Note'), 0)) AS keys) WHERE true "
          + "ON CONFLICT (entity) DO UPDATE SET next = CASE WHEN excluded.next > counters.next THEN excluded.next "
          + "ELSE counters.next END",
        "DROP TABLE app.[_osd_old_Note]",
      ]),
  ]

  @Test("tables are created and dropped with their entities", arguments: entityCases)
  func entities(_ item: MigrationCase) throws { try item.check() }

  static let hierarchyCases: [MigrationCase] = [
    MigrationCase(
      "the first subclass", from: [Alone.Vehicle.self], to: [SmallFamily.Vehicle.self, SmallFamily.Bus.self],
      sqlite: [
        #"ALTER TABLE "Vehicle" ADD COLUMN "_osd_entity" TEXT NOT NULL DEFAULT 'Vehicle'"#,
        #"ALTER TABLE "Vehicle" ADD COLUMN "seats" INTEGER"#,
        #"CREATE INDEX "_osd_entity_Vehicle" ON "Vehicle" ("_osd_entity")"#,
      ],
      other: [
        "ALTER TABLE app.[Vehicle] ADD COLUMN [_osd_entity] VARCHAR COLLATE BYTES NOT NULL DEFAULT N'Vehicle'",
        "ALTER TABLE app.[Vehicle] ADD COLUMN [seats] BIGINT",
        "CREATE INDEX [_osd_entity_Vehicle] ON app.[Vehicle] ([_osd_entity] NULLS FIRST)",
      ]),
    MigrationCase(
      "one of several subclasses goes", from: [Family.Vehicle.self, Family.Bus.self, Family.Van.self],
      to: [SmallFamily.Vehicle.self, SmallFamily.Bus.self],
      sqlite: [
        #"DELETE FROM "Vehicle" WHERE "_osd_entity" = 'Van'"#, #"ALTER TABLE "Vehicle" DROP COLUMN "load""#,
      ],
      other: ["DELETE FROM app.[Vehicle] WHERE [_osd_entity] = N'Van'", "ALTER TABLE app.[Vehicle] DROP COLUMN [load]"]),
    MigrationCase(
      "the last subclass goes", from: [SmallFamily.Vehicle.self, SmallFamily.Bus.self], to: [Alone.Vehicle.self],
      sqlite: [
        #"DROP INDEX "_osd_entity_Vehicle""#, #"ALTER TABLE "Vehicle" RENAME TO "_osd_old_Vehicle""#,
        """
        CREATE TABLE "Vehicle" (
          "_osd_key" INTEGER PRIMARY KEY,
          "wheels" INTEGER NOT NULL
        )
        """,
        #"INSERT INTO "Vehicle" ("_osd_key", "wheels") SELECT "_osd_key", "wheels" FROM "_osd_old_Vehicle" "#
          + #"WHERE "_osd_entity" = 'Vehicle'"#,
        #"DROP TABLE "_osd_old_Vehicle""#,
      ],
      other: [
        "DROP INDEX app.[_osd_entity_Vehicle]", "ALTER TABLE app.[Vehicle] RENAME TO [_osd_old_Vehicle]",
        """
        CREATE TABLE app.[Vehicle] (
          [_osd_key] BIGINT PRIMARY KEY,
          [wheels] BIGINT NOT NULL
        )
        """,
        "INSERT INTO app.[Vehicle] ([_osd_key], [wheels]) SELECT [_osd_key], [wheels] FROM app.[_osd_old_Vehicle] "
          + "WHERE [_osd_entity] = N'Vehicle'",
        "DROP TABLE app.[_osd_old_Vehicle]",
      ]),
  ]

  @Test("a changed hierarchy keeps its table", arguments: hierarchyCases)
  func hierarchies(_ item: MigrationCase) throws { try item.check() }

  static let ruleCases: [MigrationCase] = [
    MigrationCase(
      "a new index", from: [Plain.Note.self], to: [Indexed.Note.self],
      sqlite: [#"CREATE INDEX "_osd_index_Note_title" ON "Note" ("title")"#],
      other: ["CREATE INDEX [_osd_index_Note_title] ON app.[Note] ([title] NULLS FIRST)"]),
    MigrationCase(
      "an index that is gone", from: [Indexed.Note.self], to: [Plain.Note.self],
      sqlite: [#"DROP INDEX "_osd_index_Note_title""#], other: ["DROP INDEX app.[_osd_index_Note_title]"]),
    MigrationCase(
      "an index that becomes unique", from: [Indexed.Note.self], to: [Distinct.Note.self],
      sqlite: [
        #"DROP INDEX "_osd_index_Note_title""#,
        #"CREATE UNIQUE INDEX "_osd_unique_Note_title" ON "Note" ("title")"#,
      ],
      other: [
        "DROP INDEX app.[_osd_index_Note_title]",
        "CREATE UNIQUE INDEX [_osd_unique_Note_title] ON app.[Note] ([title] NULLS FIRST)",
      ]),
  ]

  @Test("indexes change without reading rows", arguments: ruleCases)
  func rules(_ item: MigrationCase) throws { try item.check() }

  @Test("the error of a new constraint lists the duplicates, which are compared as in the index")
  func duplicates() throws {
    try duplicates(
      in: SQLiteDialect(),
      #"SELECT "title", count(*) FROM "Note" WHERE "title" IS NOT NULL GROUP BY "title" "#
        + "HAVING count(*) > 1 LIMIT 6")
    try duplicates(
      in: TestDialect(),
      "SELECT [title], count(*) FROM app.[Note] WHERE [title] IS NOT NULL GROUP BY [title] "
        + "HAVING count(*) > 1 FETCH FIRST 6 ROWS ONLY")
  }

  private func duplicates(in dialect: some SQLDialect, _ query: String) throws {
    let plan = try MigrationCase.plan(from: [Plain.Note.self], to: [Distinct.Note.self], dialect)
    guard case .makeUnique(let test)? = plan.operations.first else {
      Issue.record("\(plan.operations)")
      return
    }
    #expect(plan.operations.count == 1)
    #expect((test.entity, test.table) == ("Note", "Note"))
    #expect(test.columns == ["title"])
    #expect(test.duplicates == query)
  }

  @Test("values that a custom stage sets are checked for uniqueness at the end, when the old tables are dropped")
  func completion() throws {
    let plan = try MigrationCase.plan(
      from: [Plain.Note.self], to: [Distinct.Note.self], TestDialect(), keepsOld: true)
    let dialect = TestDialect()
    #expect(
      plan.completion.flatMap { $0.statements(dialect: dialect) } == [
        "CREATE UNIQUE INDEX [_osd_unique_Note_title] ON app.[Note] ([title] NULLS FIRST)",
        "DROP TABLE app.[_osd_old_Note]",
      ])
    #expect(
      plan.operations.flatMap { $0.statements(dialect: dialect) }.first
        == "ALTER TABLE app.[Note] RENAME TO [_osd_old_Note]")
  }
}
