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

// swift-format-ignore: AlwaysUseLowerCamelCase
@Model
private final class Sys_Log {
  var text: String

  init(_ text: String) { self.text = text }
}

@Suite("Names in the database")
struct NameTests {
  private func table(_ model: any PersistentModel.Type, _ dialect: some SQLDialect) throws -> TableMapping {
    try StatementWriter(SchemaPlan(Schema([model])).layouts, dialect: dialect).table(model)
  }

  @Test("names that differ only in their case stay where the dialect tells them apart")
  func cases() throws {
    #expect(try table(House.self, SQLiteDialect()).columns.map(\.name) == ["spot_city_2", "spot_zip", "spot_CITY"])
    #expect(try table(House.self, TestDialect()).columns.map(\.name) == ["spot_city", "spot_zip", "spot_CITY"])
  }

  @Test("a name that belongs to the database becomes another one")
  func reserved() throws {
    #expect(try table(Sys_Log.self, SQLiteDialect()).name == "Sys_Log")
    #expect(try table(Sys_Log.self, TestDialect()).name == "entity_Sys_Log")
  }

  @Test("quotes in a name are doubled")
  func quotes() {
    #expect(SQLiteDialect().quoted(#"a"b"#) == #""a""b""#)
    #expect(TestDialect().quoted("a]b") == "[a]]b]")
  }
}
