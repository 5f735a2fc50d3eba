// A relationship has to be a `var`, because setting one of its sides changes the other.
// expect: relationship 'stops' must be a 'var': both of its ends change together
import SwiftData

@Model final class Trip {
  var name: String

  init(name: String) { self.name = name }
}

@Model final class Route {
  @Relationship let stops: [Trip]

  init(stops: [Trip]) { self.stops = stops }
}
