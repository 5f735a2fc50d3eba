import Foundation
import PersistenceCore
import Testing

@Suite("Validation of a schema")
struct SchemaProblemTests {
  func attribute(_ name: String, original: String? = nil, _ options: Schema.Attribute.Option...) -> Schema.Attribute {
    Schema.Attribute(name: name, originalName: original, options: options, valueType: Int.self)
  }

  func kinds(_ entities: [Schema.Entity]) -> [SchemaProblem.Kind] {
    let schema = entities.count == 2 ? Schema(entities[0], entities[1]) : Schema(entities[0])
    return schema.problems.map(\.kind)
  }

  func kinds(_ properties: any SchemaProperty...) -> [SchemaProblem.Kind] {
    let entity = Schema.Entity("E")
    entity.storedProperties = properties
    return kinds([entity])
  }

  @Test("validation throws one error with a line for each mistake; the line names the entity and the property")
  func oneError() throws {
    let schema = Schema(Shed.self)
    let error = #expect(throws: SwiftDataError.self) { try schema.validate() }
    #expect(error == .invalidSchema)
    let lines = try #require(error?.explanation).split(separator: "\n")
    #expect(lines.count == schema.problems.count)
    #expect(lines.count == 6)
    #expect(lines.allSatisfy { $0.hasPrefix("Shed") && $0.hasSuffix(".") })
  }

  @Test("validation reports all types that cannot be stored; a Codable class can be stored")
  func types() {
    let problems = Schema(Shed.self).problems
    let found = Dictionary(grouping: problems) { $0.kind }.mapValues { $0.map { $0.property ?? "" } }
    #expect(found[.typeNotStorable] == ["engine"])
    #expect(found[.destinationIsNoModel] == ["related"])
    #expect(found[.modelsInOtherCollection] == ["keys"])
    #expect(found[.defaultOfAnotherType] == ["count"])
    #expect(found[.unresolvedKeyPath]?.count == 1)
    #expect(found[.emptyRule]?.count == 1)
  }

  @Test("each property of a model needs a placeholder value, even if the property was removed from the schema's entity")
  func placeholderOfRemoved() throws {
    let schema = Schema(Voucher.self)
    let entity = try #require(schema.entitiesByName["Voucher"])
    entity.storedProperties.removeAll { $0.name == "code" }
    let found = schema.problems.filter { $0.kind == .noPlaceholder }
    #expect(found.map(\.property) == ["code"])
  }

  @Test("two types whose entity names differ at most in case are rejected")
  func duplicateEntities() {
    #expect(Schema(NotesV1.Note.self, NotesV2.Note.self).problems.map(\.kind) == [.duplicateEntity])
    #expect(kinds([Schema.Entity("Item"), Schema.Entity("item")]) == [.duplicateEntity])
    #expect(Schema(Stop.self, Stop.self).problems.isEmpty)
  }

  @Test("two properties whose names differ at most in case are rejected")
  func duplicateProperties() {
    #expect(kinds(attribute("name"), attribute("Name")) == [.duplicateProperty])
  }

  @Test("names that no store can use are rejected", arguments: ["", "_osd_x", "SQLite_x", "a\0b"])
  func names(name: String) {
    #expect(kinds([Schema.Entity(name)]) == [.entityNameNotStorable])
    #expect(kinds(attribute(name)) == [.propertyNameNotStorable])
  }

  @Test("an original name that is the name of another property is rejected")
  func originalNames() {
    #expect(kinds(attribute("a", original: "b"), attribute("b")) == [.originalNameIsTaken])
    #expect(
      kinds(attribute("a", original: "c"), attribute("b", original: "c"))
        == [.originalNameIsShared, .originalNameIsShared]
    )
  }

  @Test("two properties may exchange their names")
  func exchangedNames() {
    #expect(kinds(attribute("a", original: "b"), attribute("b", original: "a")).isEmpty)
  }

  @Test(
    "the counts of a relationship must be valid; a maximum of zero or nil means no maximum",
    arguments: [(-1, 0, true), (0, -1, true), (3, 2, true), (3, 0, false), (3, nil, false), (2, 2, false)]
  )
  func counts(least: Int?, most: Int?, isProblem: Bool) {
    let relationship = Schema.Relationship(minimumModelCount: least, maximumModelCount: most)
    relationship.name = "all"
    relationship.originalName = "all"
    relationship.destination = "E"
    #expect(kinds(relationship) == (isProblem ? [.impossibleModelCount] : []))
  }

  @Test("a to-many relationship can neither be unique nor be part of a uniqueness constraint")
  func uniqueToMany() throws {
    let friends = Schema.Relationship(.unique)
    friends.name = "friends"
    friends.originalName = "friends"
    friends.destination = "E"
    friends.valueType = [Schema.UnknownValue].self
    #expect(kinds(friends) == [.uniqueToMany])
    friends.options = []
    let entity = Schema.Entity("E", properties: friends, attribute("draft", .ephemeral))
    entity.indices = [["friends"], ["draft"], ["nothing"], []]
    #expect(
      kinds([entity])
        == [.unsuitablePropertyInRule, .unsuitablePropertyInRule, .unknownPropertyInRule, .emptyRule]
    )
  }

  @Test("the destination of a relationship must be an entity of the schema")
  func destination() {
    let relationship = Schema.Relationship()
    relationship.name = "other"
    relationship.originalName = "other"
    relationship.destination = "Nothing"
    #expect(kinds(relationship) == [.destinationIsMissing])
  }

  @Test("a subclass adds its superclass to the schema; an entity whose superclass is not in the schema is rejected")
  func superclass() {
    #expect(Schema(Truck.self).problems == [])
    #expect(Schema(Truck.self).entities.map(\.name) == ["Truck", "Vehicle"])
    let orphan = Schema.Entity("Orphan")
    orphan.superentityName = "Nothing"
    let problems = Schema(orphan).problems
    #expect(problems.map(\.kind) == [.superclassIsMissing])
    #expect(problems.first?.description.contains("Nothing") == true)
  }

  @Test("entities that inherit from each other are rejected")
  func cycle() {
    let first = Schema.Entity("First")
    let second = Schema.Entity("Second")
    first.superentityName = "Second"
    second.superentityName = "First"
    #expect(kinds([first, second]) == [.inheritsFromItself, .inheritsFromItself])
    let own = Schema.Entity("Own")
    own.superentityName = "Own"
    #expect(kinds([own]) == [.inheritsFromItself])
  }

  @Test("entities are rejected if the program sets their superclasses so that they inherit from each other")
  func cycleOfModels() throws {
    let schema = Schema(Ferry.self, TrainFerry.self)
    let ferry = try #require(schema.entity(for: Ferry.self))
    let trainFerry = try #require(schema.entity(for: TrainFerry.self))
    ferry.superentity = trainFerry
    #expect(schema.problems.filter { $0.kind == .inheritsFromItself }.map(\.entity) == ["Ferry", "TrainFerry"])
    #expect(throws: SwiftDataError.invalidSchema) { try schema.validate() }
  }

  @Test("a relationship can neither be encrypted nor stored in a file")
  func outOfRowModels() {
    let problems = Schema(Parcel.self).problems.filter { $0.kind == .modelOutOfRow }
    #expect(problems.map(\.property) == ["sender", "receivers", "porter"])
    #expect(problems.allSatisfy { $0.description.contains("neither encrypted nor kept in a file") })
    #expect(throws: SwiftDataError.invalidSchema) { try Schema(Parcel.self).validate() }
  }

  @Test("a schema with mistakes can still be encoded and decoded")
  func contradictoryEncodes() throws {
    for schema in [Schema(Shed.self), Schema(NotesV1.Note.self, NotesV2.Note.self), Schema(Letter.self)] {
      #expect(try Schema.decoded(fromJSON: schema.json(), source: "a test") == schema)
    }
  }

  @Test("a default is valid if the compiler accepts it as a literal of the property's type")
  func literalDefaults() {
    func isFine(_ value: Any, _ type: any Any.Type) -> Bool {
      kinds(Schema.Attribute(name: "a", valueType: type, defaultValue: value)).isEmpty
    }
    #expect(isFine(1, Double.self) && isFine(1, Float?.self) && isFine(1, Decimal.self) && isFine(1, Int8.self))
    #expect(isFine(1.5, Float.self) && isFine(1.5, Decimal.self) && isFine([1], [Double].self))
    #expect(isFine(["a"], Set<String>.self) && isFine(Int?.none as Any, Int?.self))
    #expect(isFine("a", String?.self) && isFine(CGFloat(1), CGFloat.self) && isFine(1, CGFloat.self))
    #expect(!isFine(1000, Int8.self) && !isFine("a", Int.self) && !isFine(1, Bool.self) && !isFine(1, Date.self))
    #expect(!isFine("a", UUID.self) && !isFine(1.5, Int.self) && !isFine(1, String.self) && !isFine("a", [String].self))
  }
}

/// A class whose decoding always throws, so that it has no placeholder value.
final class VoucherCode: Codable {
  let text: String
  init(_ text: String) { self.text = text }

  init(from decoder: any Decoder) throws {
    throw DecodingError.dataCorrupted(.init(codingPath: [], debugDescription: "no code"))
  }

  func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(text)
  }
}

@Model
final class Voucher {
  var code: VoucherCode
  init(code: VoucherCode) { self.code = code }
}

@Model
class Ferry {
  var name: String
  init(_ name: String) { self.name = name }
}

@Model
final class TrainFerry: Ferry {
  var tracks: Int = 0

  init(_ name: String, tracks: Int) {
    super.init(name)
    self.tracks = tracks
  }
}

/// A model, written without `@Model`, that sets options of attributes on its relationships.
final class Parcel: PersistentModel {
  var persistentBackingData: any BackingData<Parcel>

  init(backingData: any BackingData<Parcel>) { persistentBackingData = backingData }

  var sender: Traveller?
  var receivers: [Traveller] = []
  var porter: Traveller?
  var picture: Data?

  static var schemaMetadata: [Metadata] {
    [
      Metadata(name: "sender", keypath: \Parcel.sender, metadata: Schema.Attribute(.encrypt)),
      Metadata(name: "receivers", keypath: \Parcel.receivers, metadata: Schema.Attribute(.externalStorage)),
      Metadata(
        name: "porter", keypath: \Parcel.porter, metadata: Schema.Attribute(originalName: "carrier")._$outOfRow()),
      Metadata(name: "picture", keypath: \Parcel.picture, metadata: Schema.Attribute(.externalStorage)),
    ]
  }
}
