import Foundation
import SwiftData
import Testing

/// Models with properties whose types are aliases, such as `URL`, for other models. `@Model` sees only the names, and
/// therefore treats these properties as attributes.
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

  /// Here, `@Relationship` declares that the property is a relationship.
  @Model
  final class Stay {
    @Relationship var place: URL?

    init(_ place: Place?) { self.place = place }
  }

  /// An alias inside the model that has the name of a value type, `Data`, but is another value type, `[String]`.
  @Model
  final class Route {
    typealias Data = [String]
    var stops: Data

    init(_ stops: [String]) { self.stops = stops }
  }
}

@Suite("Properties whose type is an alias for a model but has the name of a value type")
struct HiddenModelTests {
  @Test("every save of such a property throws an error that suggests @Relationship", arguments: Engine.allCases)
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
    "with @Relationship, such a property is a relationship, and a property whose alias is a value type is an attribute",
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
