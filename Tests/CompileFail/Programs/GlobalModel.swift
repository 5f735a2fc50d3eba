// A model cannot be shared between isolation domains.
// expect: is not concurrency-safe
import SwiftData

@Model final class Trip {
  var name: String

  init(name: String) { self.name = name }
}

let everybodysTrip = Trip(name: "a")
