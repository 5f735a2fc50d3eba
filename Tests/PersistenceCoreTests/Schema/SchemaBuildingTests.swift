import Foundation
import PersistenceCore
import Testing

@Suite("Building a schema")
struct SchemaBuildingTests {
  let schema = Schema(Trip.self)

  func entity(_ name: String) throws -> Schema.Entity {
    try #require(schema.entitiesByName[name])
  }

  @Test("a schema includes models that listed models refer to, directly or indirectly")
  func destinationsAreAdded() {
    #expect(schema.entities.map(\.name) == ["Trip", "Stop", "Traveller"])
    #expect(Schema([]).entities.isEmpty)
    #expect(Schema().entities.isEmpty)
  }

  @Test("a valid schema has no problems")
  func noProblems() throws {
    #expect(schema.problems.map(\.description) == [])
    try schema.validate()
  }

  @Test("properties are in the order of their declaration, and constraints are not properties")
  func declarationOrder() throws {
    #expect(
      try entity("Trip").storedProperties.map(\.name) == [
        "name", "price", "start", "end", "token", "status", "place", "photo", "tags", "draft", "stops", "owner",
      ]
    )
  }

  @Test("attributes have the declared type, optionality, options and original name")
  func attributes() throws {
    let attributes = try entity("Trip").attributesByName
    let end = try #require(attributes["end"])
    #expect(isSame(end.valueType, as: Date?.self))
    #expect(end.isOptional)
    #expect(end.originalName == "finish")
    let name = try #require(attributes["name"])
    #expect(name.isUnique && !name.isOptional && !name.isTransient)
    #expect(name.originalName == "name")
    #expect(name.defaultValue as? String == "new")
    #expect(attributes["draft"]?.isTransient == true)
    #expect(isSame(attributes["place"]?.valueType, as: Place.self))
  }

  @Test("a default has the type of its property, even if its literal in the source has another type")
  func literalDefaults() throws {
    #expect(try entity("Trip").attributesByName["price"]?.defaultValue is Double)
  }

  @Test("options, #Unique and #Index become lists of names without duplicates")
  func rules() throws {
    let trip = try entity("Trip")
    #expect(trip.uniquenessConstraints == [["name"], ["start", "owner"]])
    #expect(trip.indices == [["start"], ["name", "start"]])
  }

  @Test("an entity is found by its model, but not by the model of another version")
  func lookup() {
    #expect(isSame(schema.entity(for: Trip.self)?.modelType, as: Trip.self))
    #expect(schema.entity(for: Player.self) == nil)
    #expect(Schema.entityName(for: NotesV2.Note.self) == "Note")
    let notes = Schema(versionedSchema: NotesV2.self)
    #expect(notes.version == Schema.Version(2, 0, 0))
    #expect(notes.entity(for: NotesV2.Note.self) != nil)
    #expect(notes.entity(for: NotesV1.Note.self) == nil)
  }

  @Test("a key path has the name of its property; a key path into a struct has the name of the member")
  func keyPaths() throws {
    let trip = try entity("Trip")
    #expect(trip.propertyName(for: \Trip.owner) == "owner")
    #expect(trip.propertyName(for: \Trip.place.city) == "place.city")
  }

  @Test("building does not change metadata that a model shares between schemas")
  func metadataIsCopied() throws {
    let shared = try #require(entity("Traveller").metadata[0].metadata as? Schema.Relationship)
    #expect(shared.name.isEmpty)
    #expect(shared.destination.isEmpty)
  }

  @Test("a composite attribute that a program builds keeps its members in metadata and JSON")
  func compositeAttribute() throws {
    let place = Schema.CompositeAttribute(name: "place", valueType: Place.self)
    place.properties = [
      Schema.Attribute(name: "city", valueType: String.self), Schema.Attribute(name: "zip", valueType: Int?.self),
    ]
    let schema = Schema(Schema.Entity("Visit", properties: place))
    try schema.validate()
    let decoded = try Schema.decoded(fromJSON: schema.json(), source: "a test")
    let copy = try #require(decoded.entities[0].attributesByName["place"] as? Schema.CompositeAttribute)
    #expect(copy == place)
    #expect(copy.properties.map(\.name) == ["city", "zip"])
    let direct = try JSONDecoder().decode(Schema.CompositeAttribute.self, from: JSONEncoder().encode(place))
    #expect(direct == place)
  }
}

@Suite("Inheritance in a schema")
struct SchemaInheritanceTests {
  @Test("a subclass inherits the properties of a listed superclass, whether or not it repeats them")
  func inheritance() throws {
    let schema = Schema(Bus.self, Vehicle.self, Truck.self)
    try schema.validate()
    let vehicle = try #require(schema.entity(for: Vehicle.self))
    #expect(vehicle.subentities.map(\.name).sorted() == ["Bus", "Truck"])
    for type in [Bus.self, Truck.self] as [any PersistentModel.Type] {
      let entity = try #require(schema.entity(ofModel: type))
      #expect(entity.superentity === vehicle)
      #expect(entity.inheritedProperties.map(\.name) == ["wheels"])
      #expect(entity.storedProperties.count == 1)
      #expect(entity.properties.count == 2)
      #expect(entity.uniquenessConstraints.isEmpty)
      #expect(entity.propertyName(for: \Vehicle.wheels) == "wheels")
    }
  }

  @Test("a constraint over inherited properties is resolved in the subclass that repeats them")
  func inheritedRule() throws {
    let schema = Schema(Vehicle.self, Bus.self)
    #expect(schema.entity(for: Bus.self)?.indices == [["wheels", "seats"]])
  }

  @Test("the entities of a hierarchy that a program builds are linked by name, and linked again after decoding")
  func byHand() throws {
    let leaf = Schema.Entity("Leaf", properties: Schema.Attribute(name: "b", valueType: Int.self))
    let root = Schema.Entity("Root", subentities: leaf, properties: Schema.Attribute(name: "a", valueType: Int.self))
    let schema = Schema(root)
    try schema.validate()
    #expect(schema.entitiesByName["Leaf"]?.superentityName == "Root")
    let decoded = try Schema.decoded(fromJSON: schema.json(), source: "a test")
    #expect(decoded == schema)
    #expect(decoded.entitiesByName["Leaf"]?.properties.map(\.name) == ["a", "b"])
    #expect(decoded.entitiesByName["Root"]?.subentities.count == 1)
  }

  @Test("setting an entity's attributes keeps the order of the remaining attributes, and does not change relationships")
  func settingAttributes() {
    let one = Schema.Attribute(name: "one", valueType: Int.self)
    let two = Schema.Attribute(name: "two", valueType: Int.self)
    let entity = Schema.Entity("Pair", properties: two, Schema.Relationship(), one)
    entity.attributes = [one, two, Schema.Attribute(name: "three", valueType: Int.self)]
    #expect(entity.storedProperties.map(\.name) == ["two", "", "one", "three"])
  }
}
