import SwiftData
import Testing

private enum Small {
  struct Place: Codable, Equatable {
    var city: String
    var zip: Int16
    var gone: String
  }
  struct Area: Codable, Equatable {
    var size: Int?
    var inner: Place?
  }
  @Model final class Trip {
    var name: String
    var place: Place
    var other: Place?
    var area: Area?
    init(_ name: String, _ other: Place?, _ area: Area?) {
      (self.name, self.other, self.area) = (name, other, area)
      place = Place(city: "Oslo", zip: 150, gone: "x")
    }
  }
}

private enum Large {
  struct Place: Codable, Equatable {
    var city: String
    var zip: Int
    var street: String?
  }
  struct Area: Codable, Equatable {
    var size: Int?
    var inner: Place?
    var kind: String
  }
  @Model final class Trip {
    var name: String
    var place: Place?
    var other: Place = Place(city: "nowhere", zip: -1)
    var area: Area? = Area(size: nil, inner: nil, kind: "old")
    init(_ name: String) { self.name = name }
  }
}

private enum Strict {
  struct Place: Codable, Equatable {
    var city: String
    var zip: Int16
    var gone: String
    var added: Int
  }
  struct Area: Codable, Equatable {
    var size: Int?
    var inner: Place?
  }
  @Model final class Trip {
    var name: String
    var place: Place
    var other: Place?
    var area: Area?
    init(_ name: String) { (self.name, place) = (name, Place(city: "", zip: 0, gone: "", added: 0)) }
  }
}

@Suite("Lightweight changes of structs")
struct CompositeMigrationTests {
  private func store() throws -> MigratedStore {
    let store = try MigratedStore()
    let bonn = Small.Place(city: "Bonn", zip: 1, gone: "y")
    try store.use([Small.Trip.self]) { context in
      context.insert(Small.Trip("a", nil, nil))
      context.insert(Small.Trip("b", bonn, Small.Area(size: nil, inner: nil)))
      context.insert(Small.Trip("c", bonn, Small.Area(size: 3, inner: bonn)))
    }
    return store
  }

  @Test("members are added, removed and widened, and get the values of the attribute's default; a nil struct stays nil")
  func members() throws {
    let store = try store()
    try store.migrate(to: [Large.Trip.self]) { context in
      let trips = try context.fetch(FetchDescriptor<Large.Trip>(sortBy: [SortDescriptor(\.name)]))
      let bonn = Large.Place(city: "Bonn", zip: 1)
      #expect(trips.map(\.place) == Array(repeating: Large.Place(city: "Oslo", zip: 150), count: 3))
      #expect(trips.map(\.other) == [Large.Place(city: "nowhere", zip: -1), bonn, bonn])
      #expect(
        trips.map(\.area) == [
          nil, Large.Area(size: nil, inner: nil, kind: "old"), Large.Area(size: 3, inner: bonn, kind: "old"),
        ])
    }
  }

  @Test("a required member without default needs a custom stage")
  func required() throws {
    let text = "\(try store().refusal(of: [Strict.Trip.self]))"
    #expect(text.contains("Trip.place.added: It is a new required member and has no default"))
    #expect(text.contains("Trip.area.inner.added"))
  }
}
