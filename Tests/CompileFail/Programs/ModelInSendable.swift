// A Sendable struct cannot have a model as a property.
// expect: stored property 'trip' of 'Sendable'-conforming struct 'Box' has non-Sendable type 'Trip'
import SwiftData

@Model final class Trip {
  var name: String

  init(name: String) { self.name = name }
}

struct Box: Sendable {
  let trip: Trip
}
