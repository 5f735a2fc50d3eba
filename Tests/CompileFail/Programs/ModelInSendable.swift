// A model cannot hide in a value that says it is Sendable.
// expect: stored property 'trip' of 'Sendable'-conforming struct 'Box' has non-Sendable type 'Trip'
import SwiftData

@Model final class Trip {
  var name: String

  init(name: String) { self.name = name }
}

struct Box: Sendable {
  let trip: Trip
}
