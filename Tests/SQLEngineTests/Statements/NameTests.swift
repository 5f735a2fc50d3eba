import Foundation
import PersistenceCore
import SQLEngine
import SQLiteStore
import Testing

@Model
private final class House {
  var spot: Spot
  // swift-format-ignore: AlwaysUseLowerCamelCase
  var spot_CITY: Int

  init(_ spot: Spot) {
    self.spot = spot
    spot_CITY = 0
  }
}

@Model
private final class Reading {
  var numberOfParticlesThatWereCountedWithinTheLastCompleteMinuteOfTheHour: Int
  @Relationship(inverse: nil) var instrumentsThatWereSwitchedOnWhenItWasMadeAtNight: [Instrument] = []

  init(_ number: Int) { numberOfParticlesThatWereCountedWithinTheLastCompleteMinuteOfTheHour = number }
}

@Model
private final class Instrument {
  var name: String

  init(_ name: String) { self.name = name }
}

@Model
private final class Tour {
  @Relationship(inverse: nil) var legs: [Instrument] = []
  // swift-format-ignore: AlwaysUseLowerCamelCase
  @Relationship(inverse: nil) var legs_target: [Instrument] = []
  // swift-format-ignore: AlwaysUseLowerCamelCase
  @Relationship(inverse: nil) var stop_hotels: [Instrument] = []

  init() {}
}

// swift-format-ignore: AlwaysUseLowerCamelCase
@Model
private final class Tour_stop {
  @Relationship(inverse: nil) var hotels: [Instrument] = []

  init() {}
}

// swift-format-ignore: AlwaysUseLowerCamelCase
@Model
private final class Sys_Log {
  var text: String

  init(_ text: String) { self.text = text }
}

@Suite("Names of tables, columns and indexes")
struct NameTests {
  private func table(_ model: any PersistentModel.Type, _ dialect: some SQLDialect) throws -> TableMapping {
    try StatementWriter(SchemaPlan(Schema([model])).layouts, dialect: dialect).table(model)
  }

  @Test("two names that differ only in case are kept if the dialect is case-sensitive")
  func cases() throws {
    #expect(try table(House.self, SQLiteDialect()).columns.map(\.name) == ["spot_city_2", "spot_zip", "spot_CITY"])
    #expect(try table(House.self, TestDialect()).columns.map(\.name) == ["spot_city", "spot_zip", "spot_CITY"])
  }

  @Test("a name reserved by the database is replaced")
  func reserved() throws {
    #expect(try table(Sys_Log.self, SQLiteDialect()).name == "Sys_Log")
    #expect(try table(Sys_Log.self, TestDialect()).name == "entity_Sys_Log")
  }

  @Test("a name that is too long for the database is shortened, with a hash at its end")
  func length() throws {
    let models: [any PersistentModel.Type] = [Reading.self, Instrument.self]
    let layouts = try SchemaPlan(Schema(models)).layouts
    let sqlite = StatementWriter(layouts, dialect: SQLiteDialect())
    let other = StatementWriter(layouts, dialect: TestDialect())
    let relationship = "instrumentsThatWereSwitchedOnWhenItWasMadeAtNight"
    #expect(
      try sqlite.table(Reading.self).columns.map(\.name)
        == ["numberOfParticlesThatWereCountedWithinTheLastCompleteMinuteOfTheHour"])
    #expect(
      try other.table(Reading.self).columns.map(\.name)
        == ["numberOfParticlesThatWereCountedWithinTheLastComp_286sj2uwv9r70"])
    #expect(try sqlite.link(relationship, of: Reading.self).name == "_osd_link_Reading_\(relationship)")
    let link = try other.link(relationship, of: Reading.self)
    #expect(link.name == "_osd_link_Reading_instrumentsThatWereSwitchedOnWhen_a0utxnp5gjo")
    #expect(link.indexName == "_osd_link_Reading_instrumentsThatWereSwitchedOnWh_2ojlcu6tj0igo")
    let aside = DatabaseMapping(entities: layouts, dialect: TestDialect(), prefix: DatabaseMigration.asidePrefix)
    #expect(
      aside.tables.flatMap(\.links.values).map(\.name)
        == ["_osd_old__osd_link_Reading_instrumentsThatWereSwi_3cjmi9pmdkjgn"])
  }

  @Test("relationships with colliding names have separate tables and indexes, in any order of the models")
  func links() throws {
    let models: [any PersistentModel.Type] = [Tour.self, Tour_stop.self, Instrument.self]
    for order in [models, Array(models.reversed())] {
      let layouts = try SchemaPlan(Schema(order)).layouts
      let sqlite = StatementWriter(layouts, dialect: SQLiteDialect())
      let links = try [
        sqlite.link("legs", of: Tour.self), sqlite.link("legs_target", of: Tour.self),
        sqlite.link("stop_hotels", of: Tour.self), sqlite.link("hotels", of: Tour_stop.self),
      ]
      #expect(
        links.map(\.name) == [
          "_osd_link_Tour_legs", "_osd_link_Tour_legs_target", "_osd_link_Tour_stop_hotels",
          "_osd_link_Tour_stop_hotels_2",
        ])
      #expect(
        links.map(\.indexName) == [
          "_osd_link_Tour_legs_target_2", "_osd_link_Tour_legs_target_target", "_osd_link_Tour_stop_hotels_target",
          "_osd_link_Tour_stop_hotels_2_target",
        ])
      let aside = DatabaseMapping(entities: layouts, dialect: SQLiteDialect(), prefix: DatabaseMigration.asidePrefix)
      #expect(
        Set(aside.tables.flatMap(\.links.values).map(\.name))
          == Set(links.map { DatabaseMigration.asidePrefix + $0.name }))
    }
  }

  @Test("quotes in a name are doubled")
  func quotes() {
    #expect(SQLiteDialect().quoted(#"a"b"#) == #""a""b""#)
    #expect(TestDialect().quoted("a]b") == "[a]]b]")
  }
}
