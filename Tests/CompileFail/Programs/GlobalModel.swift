// A global constant cannot be a model, because code of any isolation could use the model.
// expect: is not concurrency-safe
import SwiftData

@Model final class Trip {
  var name: String

  init(name: String) { self.name = name }
}

let everybodysTrip = Trip(name: "a")
