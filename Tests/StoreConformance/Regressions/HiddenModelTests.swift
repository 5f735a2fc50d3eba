import Foundation
import SwiftData
import Testing

/// Models behind type aliases with the names of value types. `@Model` treats the aliases as value types.
private enum Hidden {
  @Model
  final class Place {
    var name: String
    @Relationship var visits: [Visit] = []

    init(_ name: String) { self.name = name }
  }

  typealias URL = Place

  @Model
  final class Visit {
    var count = 0
    var place: URL?

    init(_ place: Place?) { self.place = place }
  }

  /// `@Relationship` declares the property as a relationship.
  @Model
  final class Stay {
    @Relationship var place: URL?

    init(_ place: Place?) { self.place = place }
  }

  /// A nested alias with the name of another value type.
  @Model
  final class Route {
    typealias Data = [String]
    var stops: Data

    init(_ stops: [String]) { self.stops = stops }
  }
}

@Suite("Models behind type aliases with the names of value types")
struct HiddenModelTests {
  @Test("every save throws an error that suggests @Relationship", arguments: Engine.allCases)
  func refused(_ engine: Engine) throws {
    let store = try TestStore(engine, [Hidden.Place.self, Hidden.Visit.self])
    let context = store.context()
    context.insert(Hidden.Visit(Hidden.Place("Oslo")))
    for _ in 0..<2 {
      let error = #expect(throws: SwiftDataError.invalidSchema) { try context.save() }
      #expect(error?.explanation?.contains("Visit.place: its type Place is a model") == true)
      #expect(error?.explanation?.contains("@Relationship") == true)
    }
    #expect(context.hasChanges)
    #expect(try store.context().fetchCount(FetchDescriptor<Hidden.Visit>()) == 0)
  }

  @Test(
    "a property with @Relationship is a relationship, and aliases of value types stay values",
    arguments: Engine.allCases)
  func allowed(_ engine: Engine) throws {
    let store = try TestStore(engine, [Hidden.Place.self, Hidden.Visit.self, Hidden.Stay.self, Hidden.Route.self])
    let context = store.context()
    context.insert(Hidden.Stay(Hidden.Place("Oslo")))
    context.insert(Hidden.Route(["a", "b"]))
    try context.save()
    let other = store.context()
    #expect(try other.fetch(FetchDescriptor<Hidden.Stay>()).map(\.place?.name) == ["Oslo"])
    #expect(try other.fetch(FetchDescriptor<Hidden.Route>()).map(\.stops) == [["a", "b"]])
  }
}
