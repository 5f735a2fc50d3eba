import SwiftData
import Testing

@Model final class NamedTrip: Identifiable {
  var name: String

  init(name: String) { self.name = name }
}

@Model final class IdentifiedTrip: Identifiable {
  @Attribute(.unique) var id: UUID

  init(id: UUID = UUID()) { self.id = id }
}

@Model final class TextTrip: Identifiable {
  @Attribute(.unique) var id: String

  init(id: String) { self.id = id }
}

@Model final class NumberedTrip {
  var id: Int

  init(id: Int) { self.id = id }
}

@Model final class EqualTrip: Hashable {
  var name: String

  init(name: String) { self.name = name }

  static func == (lhs: EqualTrip, rhs: EqualTrip) -> Bool { lhs.name == rhs.name }

  func hash(into hasher: inout Hasher) { hasher.combine(name) }
}

@Model final class CodedTrip: Codable {
  enum CodingKeys: String, CodingKey {
    case name
    case days = "length"
  }

  var name: String
  var days: Int

  init(name: String, days: Int) {
    self.name = name
    self.days = days
  }

  required init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    self.name = try container.decode(String.self, forKey: .name)
    self.days = try container.decode(Int.self, forKey: .days)
  }

  func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(name, forKey: .name)
    try container.encode(days, forKey: .days)
  }
}

protocol Titled: AnyObject {
  var title: String { get set }
}

protocol Counted {
  var count: Int { get }
}

@Model final class TitledTrip: Titled, Counted, CustomStringConvertible {
  var title: String
  var count: Int { title.count }
  var description: String { "trip \(title)" }

  init(title: String) { self.title = title }
}

@Model final class SharedTrip: @unchecked Sendable {
  var name: String

  init(name: String) { self.name = name }
}

@Model final class ComparedTrip: Comparable {
  var days: Int

  init(days: Int) { self.days = days }

  static func < (lhs: ComparedTrip, rhs: ComparedTrip) -> Bool { lhs.days < rhs.days }
}

@Model final class LateTrip {
  var name: String

  init(name: String) { self.name = name }
}

extension LateTrip: Titled {
  var title: String {
    get { name }
    set { name = newValue }
  }
}

@Suite("Conformances of models")
struct ConformanceTests {
  @Test("The id of an Identifiable model that declares no id is the model's identifier") func identity() throws {
    try roundTrip(NamedTrip(name: "a")) { #expect($0.name == "a" && $0.id == $0.persistentModelID) }
  }

  @Test("A property named id may be a UUID, a text or a number") func idProperty() throws {
    let id = UUID()
    try roundTrip(IdentifiedTrip(id: id)) { #expect($0.id == id) }
    try roundTrip(TextTrip(id: "x")) { #expect($0.id == "x") }
    try roundTrip(NumberedTrip(id: 9)) { #expect($0.id == 9) }
  }

  @Test("A model may declare its own equality") func equality() throws {
    #expect(EqualTrip(name: "a") == EqualTrip(name: "a"))
    try roundTrip(EqualTrip(name: "a")) { #expect($0 == EqualTrip(name: "a")) }
  }

  @Test("A model may have its own decoding") func codable() throws {
    let trip = try JSONDecoder().decode(CodedTrip.self, from: Data(#"{"name":"a","length":3}"#.utf8))
    #expect(try JSONDecoder().decode(CodedTrip.self, from: JSONEncoder().encode(trip)).days == 3)
    try roundTrip(trip) { #expect($0.name == "a" && $0.days == 3) }
  }

  @Test("A model may conform to custom protocols") func ownProtocols() throws {
    let trip = TitledTrip(title: "a")
    (trip as any Titled).title = "abc"
    try roundTrip(trip) { #expect($0.title == "abc" && $0.count == 3 && "\($0)" == "trip abc") }
  }

  @Test("A model may conform to a protocol in an extension") func extensionConformance() throws {
    let trip = LateTrip(name: "a")
    trip.title = "b"
    try roundTrip(trip) { #expect($0.name == "b") }
  }

  @Test("A model may conform to @unchecked Sendable") func uncheckedSendable() throws {
    let value: any Sendable = SharedTrip(name: "a")
    #expect(value is SharedTrip)
    try roundTrip(SharedTrip(name: "a")) { #expect($0.name == "a") }
  }

  @Test("A model may conform to Comparable") func comparable() throws {
    #expect(ComparedTrip(days: 1) < ComparedTrip(days: 2))
    try roundTrip(ComparedTrip(days: 3)) { #expect($0 > ComparedTrip(days: 2)) }
  }
}
