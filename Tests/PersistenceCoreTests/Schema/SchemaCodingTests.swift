import Foundation
import PersistenceCore
import Testing

@Suite("A schema as JSON")
struct SchemaCodingTests {
  @Test(
    "a decoded schema equals the encoded one",
    arguments: [
      Schema(Trip.self), Schema(Vehicle.self, Bus.self, Truck.self), Schema(School.self),
      Schema(versionedSchema: NotesV2.self), Schema(),
    ]
  )
  func roundTrip(schema: Schema) throws {
    let decoded = try Schema.decoded(fromJSON: schema.json(), source: "a test")
    #expect(decoded == schema)
    #expect(decoded.hashValue == schema.hashValue)
    #expect(try decoded.json() == schema.json())
    #expect(decoded.differences(from: schema).isEmpty)
  }

  @Test("two schemas of the same models, in whatever order, are equal and have the same encoding")
  func deterministic() throws {
    let first = Schema(Trip.self, Stop.self)
    let second = Schema(Traveller.self, Stop.self, Trip.self)
    #expect(first == second)
    #expect(first.hashValue == second.hashValue)
    #expect(try first.json() == second.json())
    #expect(Set([first, second]).count == 1)
  }

  @Test("known types are decoded as themselves, unknown types as a placeholder type")
  func types() throws {
    let decoded = try Schema.decoded(fromJSON: Schema(Trip.self).json(), source: "a test")
    let trip = try #require(decoded.entitiesByName["Trip"])
    let attributes = trip.attributesByName
    #expect(isSame(attributes["end"]?.valueType, as: Date?.self))
    #expect(isSame(attributes["tags"]?.valueType, as: [String].self))
    #expect(isSame(attributes["photo"]?.valueType, as: Data?.self))
    #expect(isSame(attributes["status"]?.valueType, as: Schema.UnknownValue.self))
    #expect(trip.relationshipsByName["owner"]?.isOptional == true)
    #expect(trip.relationshipsByName["stops"]?.isToOneRelationship == false)
    #expect(decoded.entity(for: Trip.self) === trip)
  }

  @Test("nested types are decoded")
  func nestedTypes() throws {
    let types: [any Any.Type] = [[String: [Date]].self, Set<UUID>.self, [Int?]?.self, [[String: Int]].self, UInt8.self]
    for type in types {
      let attribute = Schema.Attribute(name: "a", valueType: type)
      let decoded = try JSONDecoder().decode(Schema.Attribute.self, from: JSONEncoder().encode(attribute))
      #expect(isSame(decoded.valueType, as: type))
      #expect(decoded == attribute)
    }
  }

  @Test("defaults of basic types are encoded in the type of their property")
  func defaults() throws {
    let data = Data([1, 2])
    let url = try #require(URL(string: "https://example.org/a/b"))
    let id = UUID()
    func kept<Value: Equatable>(_ value: Value) throws -> Bool {
      let attribute = Schema.Attribute(name: "a", valueType: Value.self, defaultValue: value)
      let decoded = try JSONDecoder().decode(Schema.Attribute.self, from: JSONEncoder().encode(attribute))
      return decoded == attribute && decoded.defaultValue as? Value == value
    }
    #expect(try kept(true) && kept(3) && kept(UInt64.max) && kept(Int8(-3)) && kept(0.1) && kept(Float(0.1)))
    #expect(try kept("a\"b") && kept(Date(timeIntervalSinceReferenceDate: 0.5)) && kept(id) && kept(url) && kept(data))
    #expect(try kept(Decimal(string: "12.345")) && kept(Double.infinity) && kept(Int64.min))
  }

  @Test("the default of an enum is encoded as its raw value, and a default of another kind is omitted")
  func otherDefaults() throws {
    let trip = try #require(Schema(Trip.self).entitiesByName["Trip"])
    let status = try #require(trip.attributesByName["status"])
    let decoded = try JSONDecoder().decode(Schema.Attribute.self, from: JSONEncoder().encode(status))
    #expect(decoded.defaultValue as? String == "planned")
    let place = try #require(trip.attributesByName["place"])
    #expect(place.defaultValue is Place)
    #expect(try JSONDecoder().decode(Schema.Attribute.self, from: JSONEncoder().encode(place)).defaultValue == nil)
  }

  @Test("a default with a new value at each evaluation, such as UUID(), is ignored in comparisons")
  func volatileDefaults() throws {
    let token = try #require(Schema(Trip.self).entitiesByName["Trip"]?.attributesByName["token"])
    #expect(token.defaultValue is UUID)
    #expect(token.isDefaultVolatile)
    #expect(!String(decoding: try JSONEncoder().encode(token), as: UTF8.self).contains("defaultValue"))
  }

  @Test("a schema is equal after it was saved to a file and loaded; errors name the file")
  func files() throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let file = folder.appending(path: "schema.json")
    let schema = Schema(Trip.self)
    try schema.save(to: file)
    #expect(try Schema.load(from: file) == schema)
    try Data("{}".utf8).write(to: file)
    let corrupt = #expect(throws: SwiftDataError.self) { try Schema.load(from: file) }
    #expect(corrupt == .corruptValue)
    #expect(corrupt?.explanation?.contains(file.path) == true)
    let missing = #expect(throws: SwiftDataError.self) { try Schema.load(from: folder.appending(path: "none")) }
    #expect(missing == .storeUnreachable)
    let nowhere = #expect(throws: SwiftDataError.self) { try schema.save(to: folder.appending(path: "no/file")) }
    #expect(nowhere == .storeUnreachable)
  }

  @Test("options, indices and uniqueness constraints can be encoded separately")
  func parts() throws {
    let options: [Schema.Attribute.Option] = [
      .unique, .externalStorage, .codable, .ephemeral, .spotlight, .preserveValueOnDeletion, .allowsCloudEncryption,
      .transformable(by: "Colour (old)"),
    ]
    #expect(try JSONDecoder().decode([Schema.Attribute.Option].self, from: JSONEncoder().encode(options)) == options)
    let index = Schema.Index<Trip>(.binary([\.name]), .rtree([\.start, \.price]))
    #expect(try JSONDecoder().decode(Schema.Index<Trip>.self, from: JSONEncoder().encode(index)) == index)
    let unique = Schema.Unique<Trip>([\.name, \.owner])
    #expect(try JSONDecoder().decode(Schema.Unique<Trip>.self, from: JSONEncoder().encode(unique)) == unique)
    let member = Schema.Unique<Trip>([\.place.city])
    #expect(try JSONDecoder().decode(Schema.Unique<Trip>.self, from: JSONEncoder().encode(member)) == member)
  }

  @Test("versions are compared component by component, from left to right")
  func versions() {
    #expect(Schema.Version(1, 2, 9) < Schema.Version(1, 10, 0))
    #expect(Schema.Version(1, 0, 0).description == "1.0.0")
    #expect(Schema().encodingVersion == Schema.schemaEncodingVersion)
  }
}
