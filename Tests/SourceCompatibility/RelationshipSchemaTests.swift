import SwiftData
import Testing

/// A relationship as a model declares it, and its inverse. Either side may declare the inverse, or the schema infers
/// it.
struct DeclaredRelationship: Sendable, CustomTestStringConvertible {
  var entity: String
  var name: String
  var destination: String
  var isArray = false
  var isOptional = true
  var deleteRule = Schema.Relationship.DeleteRule.nullify
  var inverse: String?

  var testDescription: String { "\(entity).\(name)" }

  static let all = [
    Self(
      entity: "Author", name: "articles", destination: "Article", isArray: true, isOptional: false,
      deleteRule: .cascade, inverse: "author"),
    Self(entity: "Author", name: "journals", destination: "Journal", isArray: true, inverse: "editors"),
    Self(entity: "Author", name: "mentor", destination: "Author"),
    Self(entity: "Author", name: "home", destination: "Home", inverse: "owner"),
    Self(entity: "Article", name: "author", destination: "Author", inverse: "articles"),
    Self(
      entity: "Article", name: "keywords", destination: "Keyword", isArray: true, isOptional: false,
      inverse: "articles"),
    Self(
      entity: "Article", name: "remarks", destination: "Remark", isArray: true, deleteRule: .cascade,
      inverse: "article"),
    Self(
      entity: "Keyword", name: "articles", destination: "Article", isArray: true, isOptional: false,
      inverse: "keywords"),
    Self(entity: "Remark", name: "article", destination: "Article", isOptional: false, inverse: "remarks"),
    Self(
      entity: "Journal", name: "editors", destination: "Author", isArray: true, isOptional: false,
      inverse: "journals"),
    Self(entity: "Home", name: "owner", destination: "Author", deleteRule: .noAction, inverse: "home"),
    Self(
      entity: "Home", name: "rooms", destination: "Room", isArray: true, isOptional: false, deleteRule: .cascade),
    Self(entity: "Room", name: "door", destination: "Door", deleteRule: .deny),
    Self(
      entity: "Room", name: "windows", destination: "Window", isArray: true, isOptional: false, inverse: "room"),
    Self(entity: "Window", name: "room", destination: "Room", inverse: "windows"),
  ]
}

/// Models that have the names of value types, such as Date. The macro sees only these names.
enum Chronicle {
  @Model final class Date {
    var year: Int

    init(year: Int) { self.year = year }
  }

  @Model final class Event {
    var date: Date?
    var dates: [Date] = []

    init() {}
  }

  @Model final class Meeting {
    @Relationship var date: Date?
    var former: Chronicle.Date?
    var others: [Chronicle.Date] = []

    init() {}
  }
}

@Suite("Relationships in the schema")
struct RelationshipSchemaTests {
  @Test(
    "Opening throws for a model that the macro treats as a value because of its name, as the relationship would be lost"
  )
  func namesOfValues() throws {
    let error = #expect(throws: SwiftDataError.self) { try memoryContainer([Chronicle.Event.self]) }
    #expect(error == .invalidSchema)
    let lines = try #require(error?.explanation).split(separator: "\n")
    #expect(lines.count == 2)
    #expect(lines.allSatisfy { $0.contains("Date is a model") && $0.contains("Write @Relationship") })
    let meeting = Chronicle.Meeting()
    meeting.date = Chronicle.Date(year: 1)
    meeting.former = Chronicle.Date(year: 2)
    meeting.others.append(Chronicle.Date(year: 3))
    try roundTrip(meeting, with: [Chronicle.Date.self]) {
      #expect($0.date?.year == 1 && $0.former?.year == 2 && $0.others.map(\.year) == [3])
    }
  }

  private let schema = Schema([Author.self])

  @Test(
    "Each relationship has its multiplicity, destination, delete rule and inverse", arguments: DeclaredRelationship.all)
  func declared(_ expected: DeclaredRelationship) throws {
    let entity = try #require(schema.entitiesByName[expected.entity])
    let relationship = try #require(entity.relationshipsByName[expected.name])
    #expect(relationship.destination == expected.destination)
    #expect(relationship.isToOneRelationship == !expected.isArray)
    #expect(relationship.isOptional == expected.isOptional)
    #expect(relationship.deleteRule == expected.deleteRule)
    #expect(relationship.inverseName == expected.inverse)
    #expect((relationship.inverseKeyPath != nil) == (expected.inverse != nil))
  }

  @Test("The schema has no relationships other than the declared ones") func complete() {
    let declared = schema.entities.flatMap { entity in entity.relationships.map { "\(entity.name).\($0.name)" } }
    #expect(declared.sorted() == DeclaredRelationship.all.map(\.testDescription).sorted())
  }

  @Test("The original name and the minimum and maximum number of objects are recorded") func limits() throws {
    let windows = try #require(schema.entity(for: Room.self)?.relationshipsByName["windows"])
    #expect(windows.originalName == "panes")
    #expect(windows.minimumModelCount == 0)
    #expect(windows.maximumModelCount == 2)
    let door = try #require(schema.entity(for: Room.self)?.relationshipsByName["door"])
    #expect(door.originalName == "door")
  }
}
