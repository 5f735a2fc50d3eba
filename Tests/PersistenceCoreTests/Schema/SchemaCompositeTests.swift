import Foundation
import PersistenceCore
import Testing

private struct Point: Codable {
  var x: Double
  var y: Double?
}

private struct Location: Codable {
  var city: String
  var point: Point
  var last: Point?
}

@Model
private final class Journey {
  #Index<Journey>([\.location.city], [\.former?.point.x, \.name], [\.location])

  var name: String
  var location: Location
  var former: Location?

  init(name: String, location: Location) {
    self.name = name
    self.location = location
  }
}

private enum Later {
  struct Point: Codable {
    var x: Double
    var y: Double
    var z: Int
  }

  struct Location: Codable {
    var town: String
    var point: Point
    var last: Point?
  }

  @Model
  final class Journey {
    var name: String
    var location: Location
    @Attribute(.codable) var former: Location?

    init(name: String, location: Location) {
      self.name = name
      self.location = location
    }
  }
}

@Suite("Composite attributes of a schema")
struct SchemaCompositeTests {
  private let schema = Schema([Journey.self])

  private func composite(_ name: String) throws -> Schema.CompositeAttribute {
    try #require(schema.entitiesByName["Journey"]?.attributesByName[name] as? Schema.CompositeAttribute)
  }

  @Test("have an attribute for each stored member, at any depth")
  func members() throws {
    let location = try composite("location")
    #expect(location.properties.map(\.name) == ["city", "point", "last"])
    #expect(isSame(location.properties[0].valueType, as: String.self))
    let last = try #require(location.properties[2] as? Schema.CompositeAttribute)
    #expect(last.properties.map(\.name) == ["x", "y"])
    #expect(last.isOptional && !last.properties[0].isOptional && last.properties[1].isOptional)
    #expect(try composite("former").isOptional)
  }

  @Test("allow their members in constraints")
  func rules() throws {
    let entity = try #require(schema.entitiesByName["Journey"])
    #expect(entity.indices == [["location.city"], ["former.point.x", "name"], ["location"]])
    try schema.validate()
    entity.indices.append(["location.town"])
    #expect(throws: SwiftDataError.invalidSchema) { try schema.validate() }
  }

  @Test("round-trip through JSON")
  func coding() throws {
    let read = try Schema.decoded(fromJSON: try schema.json(), source: "the test")
    #expect(read == schema)
    let location = read.entitiesByName["Journey"]?.attributesByName["location"] as? Schema.CompositeAttribute
    #expect(location?.properties.map(\.name).sorted() == ["city", "last", "point"])
    let text = String(decoding: try schema.json(), as: UTF8.self)
    #expect(text.contains("\"members\""))
  }

  @Test("report added, removed and changed members as differences")
  func differences() {
    let differences = Schema([Later.Journey.self]).differences(from: schema)
    #expect(
      differences.filter { !$0.contains("indexed") } == [
        "The options of Journey.former changed from none to .codable.",
        "Journey.former is no longer stored in several parts.",
        "Attribute Journey.location.city was removed.",
        "Journey.location.last.y became required.",
        "Attribute Journey.location.last.z was added.",
        "Journey.location.point.y became required.",
        "Attribute Journey.location.point.z was added.",
        "Attribute Journey.location.town was added.",
      ])
  }

  @Test("an index of a model is encoded with the names of its members")
  func indexCoding() throws {
    let index = Schema.Index<Journey>([\.location.city], [\.former!.point.x])
    let data = try JSONEncoder().encode(index)
    #expect(String(decoding: data, as: UTF8.self).contains("former.point.x"))
    #expect(try JSONDecoder().decode(Schema.Index<Journey>.self, from: data) == index)
  }
}
