// A model cannot be shared by everyone.
// expect: is not concurrency-safe
import SwiftData

@Model final class Trip {
  var name: String

  init(name: String) { self.name = name }
}

let everybodysTrip = Trip(name: "a")
