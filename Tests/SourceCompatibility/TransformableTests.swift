import SwiftData
import Testing

struct Route: Equatable {
  var stops: [String]
}

/// Stores a route as a text with one stop in each line.
final class RouteTransformer: ValueTransformer {
  override func transformedValue(_ value: Any?) -> Any? {
    (value as? Route).map { Data($0.stops.joined(separator: "\n").utf8) }
  }

  override func reverseTransformedValue(_ value: Any?) -> Any? {
    (value as? Data).map { Route(stops: String(decoding: $0, as: UTF8.self).split(separator: "\n").map(String.init)) }
  }
}

@Model final class RoutedTrip {
  @Attribute(.transformable(by: RouteTransformer.self)) var route: Route
  @Attribute(.transformable(by: RouteTransformer.self)) var detour: Route?
  @Attribute(.transformable(by: RouteTransformer.self), originalName: "house") var home = Route(stops: ["home"])
  // An attribute without a transformer, whose original name contains the word "transformable".
  @Attribute(originalName: "transformable") var name: String

  init(route: Route, name: String) {
    self.route = route
    self.name = name
  }
}

@Model final class FixedTrip {
  @Attribute(.transformable(by: RouteTransformer.self)) let route: Route

  init(route: Route) { self.route = route }
}

@Suite("@Attribute(.transformable)")
struct TransformableTests {
  @Test("A transformer stores a constant") func constant() throws {
    try roundTrip(FixedTrip(route: Route(stops: ["a", "b"]))) { #expect($0.route == Route(stops: ["a", "b"])) }
  }

  @Test("A transformer stores a value that is not Codable") func stored() throws {
    let trip = RoutedTrip(route: Route(stops: ["a", "b"]), name: "n")
    try roundTrip(changing: trip) {
      $0.route.stops.append("c")
    } then: {
      #expect($0.route == Route(stops: ["a", "b", "c"]))
      #expect($0.detour == nil)
      #expect($0.home == Route(stops: ["home"]))
      #expect($0.name == "n")
    }
  }
}
