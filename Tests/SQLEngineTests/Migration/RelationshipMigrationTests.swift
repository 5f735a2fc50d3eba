import Foundation
import PersistenceCore
import Testing

private enum Unrelated {
  @Model final class Note {
    var title: String
    init(_ title: String) { self.title = title }
  }
  @Model final class Tag {
    var name: String
    init(_ name: String) { self.name = name }
  }
  static let models: [any PersistentModel.Type] = [Note.self, Tag.self]
}

private enum OneWay {
  @Model final class Note {
    var title: String
    @Relationship(inverse: nil) var tag: Tag?
    init(_ title: String) { self.title = title }
  }
  @Model final class Tag {
    var name: String
    init(_ name: String) { self.name = name }
  }
  static let models: [any PersistentModel.Type] = [Note.self, Tag.self]
}

private enum ManyOneWay {
  @Model final class Note {
    var title: String
    @Relationship(inverse: nil) var tag: [Tag] = []
    init(_ title: String) { self.title = title }
  }
  @Model final class Tag {
    var name: String
    init(_ name: String) { self.name = name }
  }
  static let models: [any PersistentModel.Type] = [Note.self, Tag.self]
}

private enum BothWays {
  @Model final class Note {
    var title: String
    var tag: Tag?
    init(_ title: String) { self.title = title }
  }
  @Model final class Tag {
    var name: String
    @Relationship(inverse: \Note.tag) var notes: [Note] = []
    init(_ name: String) { self.name = name }
  }
  static let models: [any PersistentModel.Type] = [Note.self, Tag.self]
}

private enum Cascading {
  @Model final class Note {
    var title: String
    var tag: Tag?
    init(_ title: String) { self.title = title }
  }
  @Model final class Tag {
    var name: String
    @Relationship(deleteRule: .cascade, inverse: \Note.tag) var notes: [Note] = []
    init(_ name: String) { self.name = name }
  }
  static let models: [any PersistentModel.Type] = [Note.self, Tag.self]
}

private enum Many {
  @Model final class Note {
    var title: String
    @Relationship(inverse: \Tag.notes) var tags: [Tag] = []
    init(_ title: String) { self.title = title }
  }
  @Model final class Tag {
    var name: String
    var notes: [Note] = []
    init(_ name: String) { self.name = name }
  }
  static let models: [any PersistentModel.Type] = [Note.self, Tag.self]
}

private enum ManyRenamed {
  @Model final class Note {
    var title: String
    @Relationship(originalName: "tags", inverse: \Tag.notes) var labels: [Tag] = []
    init(_ title: String) { self.title = title }
  }
  @Model final class Tag {
    var name: String
    var notes: [Note] = []
    init(_ name: String) { self.name = name }
  }
  static let models: [any PersistentModel.Type] = [Note.self, Tag.self]
}

@Suite("Operations for changed relationships")
struct RelationshipMigrationTests {
  static let referenceCases: [MigrationCase] = [
    MigrationCase(
      "a way back gives rows a place", from: OneWay.models, to: BothWays.models,
      sqlite: [
        #"DROP INDEX "_osd_reference_Note_tag""#, #"ALTER TABLE "Note" ADD COLUMN "_osd_position_tag""#,
        #"CREATE INDEX "_osd_reference_Note_tag__osd_position_tag" ON "Note" ("tag", "_osd_position_tag")"#,
      ],
      other: [
        "DROP INDEX app.[_osd_reference_Note_tag]", "ALTER TABLE app.[Note] ADD COLUMN [_osd_position_tag] DOUBLE",
        "CREATE INDEX [_osd_reference_Note_tag__osd_position_tag] ON app.[Note] "
          + "([tag] NULLS FIRST, [_osd_position_tag] NULLS FIRST)",
      ]),
    MigrationCase(
      "another delete rule is another reference", from: BothWays.models, to: Cascading.models,
      sqlite: [
        #"DROP INDEX "_osd_reference_Note_tag__osd_position_tag""#, #"ALTER TABLE "Note" RENAME TO "_osd_old_Note""#,
        """
        CREATE TABLE "Note" (
          "_osd_key" INTEGER PRIMARY KEY,
          "title" TEXT NOT NULL,
          "tag" INTEGER REFERENCES "Tag" ("_osd_key") ON DELETE CASCADE DEFERRABLE INITIALLY DEFERRED,
          "_osd_position_tag"
        )
        """,
        #"INSERT INTO "Note" ("_osd_key", "title", "tag", "_osd_position_tag") "#
          + #"SELECT "_osd_key", "title", "tag", "_osd_position_tag" FROM "_osd_old_Note""#,
        #"CREATE INDEX "_osd_reference_Note_tag__osd_position_tag" ON "Note" ("tag", "_osd_position_tag")"#,
        #"DROP TABLE "_osd_old_Note""#,
      ],
      other: [
        "DROP INDEX app.[_osd_reference_Note_tag__osd_position_tag]",
        "ALTER TABLE app.[Note] RENAME TO [_osd_old_Note]",
        """
        CREATE TABLE app.[Note] (
          [_osd_key] BIGINT PRIMARY KEY,
          [title] VARCHAR NOT NULL,
          [tag] BIGINT REFERENCES app.[Tag] ([_osd_key]) ON DELETE CASCADE DEFERRABLE INITIALLY DEFERRED,
          [_osd_position_tag] DOUBLE
        )
        """,
        "INSERT INTO app.[Note] ([_osd_key], [title], [tag], [_osd_position_tag]) "
          + "SELECT [_osd_key], [title], [tag], [_osd_position_tag] FROM app.[_osd_old_Note]",
        "CREATE INDEX [_osd_reference_Note_tag__osd_position_tag] ON app.[Note] "
          + "([tag] NULLS FIRST, [_osd_position_tag] NULLS FIRST)",
        "DROP TABLE app.[_osd_old_Note]",
      ]),
  ]

  @Test("a reference changes with its table", arguments: referenceCases)
  func references(_ item: MigrationCase) throws { try item.check() }

  static let toManyCases: [MigrationCase] = [
    MigrationCase(
      "without a way back", from: OneWay.models, to: ManyOneWay.models,
      sqlite: [
        #"DROP INDEX "_osd_reference_Note_tag""#, #"ALTER TABLE "Note" RENAME TO "_osd_old_Note""#,
        """
        CREATE TABLE "Note" (
          "_osd_key" INTEGER PRIMARY KEY,
          "title" TEXT NOT NULL
        )
        """,
        #"INSERT INTO "Note" ("_osd_key", "title") SELECT "_osd_key", "title" FROM "_osd_old_Note""#,
        """
        CREATE TABLE "_osd_link_Note_tag" (
          "_osd_key" INTEGER PRIMARY KEY,
          "owner" INTEGER NOT NULL REFERENCES "Note" ("_osd_key") ON DELETE CASCADE DEFERRABLE INITIALLY DEFERRED,
          "target" INTEGER NOT NULL REFERENCES "Tag" ("_osd_key") ON DELETE CASCADE DEFERRABLE INITIALLY DEFERRED,
          "target_position",
          "owner_position",
          UNIQUE ("owner", "target")
        )
        """,
        #"INSERT INTO "_osd_link_Note_tag" ("owner", "target", "target_position", "owner_position") "#
          + "SELECT owner, target, target_position, owner_position FROM "
          + #"(SELECT "_osd_key" AS owner, "tag" AS target, NULL AS target_position, NULL AS owner_position "#
          + #"FROM "_osd_old_Note" WHERE "_osd_key" IS NOT NULL AND "tag" IS NOT NULL ORDER BY 1) AS pairs WHERE true "#
          + "ON CONFLICT DO NOTHING",
        counting(
          in: #""_osd_link_Note_tag""#, as: "'_osd_link_Note_tag'", { #""\#($0)""# }, { "CAST(\($0) AS INTEGER)" }),
        #"CREATE INDEX "_osd_link_Note_tag_target" ON "_osd_link_Note_tag" ("target")"#,
        #"DROP TABLE "_osd_old_Note""#,
      ],
      other: [
        "DROP INDEX app.[_osd_reference_Note_tag]", "ALTER TABLE app.[Note] RENAME TO [_osd_old_Note]",
        """
        CREATE TABLE app.[Note] (
          [_osd_key] BIGINT PRIMARY KEY,
          [title] VARCHAR NOT NULL
        )
        """,
        "INSERT INTO app.[Note] ([_osd_key], [title]) SELECT [_osd_key], [title] FROM app.[_osd_old_Note]",
        """
        CREATE TABLE app.[_osd_link_Note_tag] (
          [_osd_key] BIGINT GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY,
          [owner] BIGINT NOT NULL REFERENCES app.[Note] ([_osd_key]) ON DELETE CASCADE DEFERRABLE INITIALLY DEFERRED,
          [target] BIGINT NOT NULL REFERENCES app.[Tag] ([_osd_key]) ON DELETE CASCADE DEFERRABLE INITIALLY DEFERRED,
          [target_position] DOUBLE,
          [owner_position] DOUBLE,
          UNIQUE ([owner], [target])
        )
        """,
        "INSERT INTO app.[_osd_link_Note_tag] ([owner], [target], [target_position], [owner_position]) "
          + "SELECT owner, target, target_position, owner_position FROM "
          + "(SELECT [_osd_key] AS owner, [tag] AS target, NULL AS target_position, NULL AS owner_position "
          + "FROM app.[_osd_old_Note] WHERE [_osd_key] IS NOT NULL AND [tag] IS NOT NULL ORDER BY 1) AS pairs WHERE true "
          + "SKIP CONFLICTS",
        counting(
          in: "app.[_osd_link_Note_tag]", as: "N'_osd_link_Note_tag'", { "[\($0)]" }, { "to_bigint(\($0))" }),
        "CREATE INDEX [_osd_link_Note_tag_target] ON app.[_osd_link_Note_tag] ([target])",
        "DROP TABLE app.[_osd_old_Note]",
      ])
  ]

  @Test("a reference that becomes to-many becomes pairs", arguments: toManyCases)
  func toMany(_ item: MigrationCase) throws { try item.check() }

  static let pairCases: [MigrationCase] = [
    MigrationCase(
      "made", from: Unrelated.models, to: Many.models,
      sqlite: [
        """
        CREATE TABLE "_osd_link_Note_tags" (
          "_osd_key" INTEGER PRIMARY KEY,
          "owner" INTEGER NOT NULL REFERENCES "Note" ("_osd_key") ON DELETE CASCADE DEFERRABLE INITIALLY DEFERRED,
          "target" INTEGER NOT NULL REFERENCES "Tag" ("_osd_key") ON DELETE CASCADE DEFERRABLE INITIALLY DEFERRED,
          "target_position",
          "owner_position",
          UNIQUE ("owner", "target")
        )
        """,
        counting(
          in: #""_osd_link_Note_tags""#, as: "'_osd_link_Note_tags'", { #""\#($0)""# }, { "CAST(\($0) AS INTEGER)" }),
        #"CREATE INDEX "_osd_link_Note_tags_target" ON "_osd_link_Note_tags" ("target")"#,
      ],
      other: [
        """
        CREATE TABLE app.[_osd_link_Note_tags] (
          [_osd_key] BIGINT GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY,
          [owner] BIGINT NOT NULL REFERENCES app.[Note] ([_osd_key]) ON DELETE CASCADE DEFERRABLE INITIALLY DEFERRED,
          [target] BIGINT NOT NULL REFERENCES app.[Tag] ([_osd_key]) ON DELETE CASCADE DEFERRABLE INITIALLY DEFERRED,
          [target_position] DOUBLE,
          [owner_position] DOUBLE,
          UNIQUE ([owner], [target])
        )
        """,
        counting(
          in: "app.[_osd_link_Note_tags]", as: "N'_osd_link_Note_tags'", { "[\($0)]" }, { "to_bigint(\($0))" }),
        "CREATE INDEX [_osd_link_Note_tags_target] ON app.[_osd_link_Note_tags] ([target])",
      ]),
    MigrationCase(
      "dropped", from: Many.models, to: Unrelated.models,
      sqlite: [
        #"DROP INDEX "_osd_link_Note_tags_target""#,
        #"ALTER TABLE "_osd_link_Note_tags" RENAME TO "_osd_old__osd_link_Note_tags""#,
        #"DROP TABLE "_osd_old__osd_link_Note_tags""#,
      ],
      other: [
        "DROP INDEX app.[_osd_link_Note_tags_target]",
        "ALTER TABLE app.[_osd_link_Note_tags] RENAME TO [_osd_old__osd_link_Note_tags]",
        "DROP TABLE app.[_osd_old__osd_link_Note_tags]",
      ]),
    MigrationCase(
      "renamed, with the numbers of their rows", from: Many.models, to: ManyRenamed.models,
      sqlite: [
        #"DROP INDEX "_osd_link_Note_tags_target""#,
        #"ALTER TABLE "_osd_link_Note_tags" RENAME TO "_osd_link_Note_labels""#,
        "DELETE FROM counters WHERE entity = '_osd_link_Note_labels'",
        "UPDATE counters SET entity = '_osd_link_Note_labels' WHERE entity = '_osd_link_Note_tags'",
        #"CREATE INDEX "_osd_link_Note_labels_target" ON "_osd_link_Note_labels" ("target")"#,
      ],
      other: [
        "DROP INDEX app.[_osd_link_Note_tags_target]",
        "ALTER TABLE app.[_osd_link_Note_tags] RENAME TO [_osd_link_Note_labels]",
        "DELETE FROM counters WHERE entity = N'_osd_link_Note_labels'",
        "UPDATE counters SET entity = N'_osd_link_Note_labels' WHERE entity = N'_osd_link_Note_tags'",
        "CREATE INDEX [_osd_link_Note_labels_target] ON app.[_osd_link_Note_labels] ([target])",
      ]),
  ]

  @Test("the table of a many-to-many relationship comes, goes and is renamed with it", arguments: pairCases)
  func pairs(_ item: MigrationCase) throws { try item.check() }

  /// The statement that lets later numbers be above those in a table of pairs.
  private static func counting(
    in table: String, as name: String, _ quoted: (String) -> String, _ integer: (String) -> String
  ) -> String {
    let greatest = ["_osd_key", "target_position", "owner_position"].map {
      "SELECT max(\(quoted($0))) AS value FROM \(table) UNION ALL "
    }
    return "INSERT INTO counters (entity, next) SELECT \(name), 1 + \(integer("max(value)")) FROM ("
      + greatest.joined() + "SELECT 0) AS numbers WHERE true ON CONFLICT (entity) DO UPDATE SET "
      + "next = CASE WHEN excluded.next > counters.next THEN excluded.next ELSE counters.next END"
  }
}
