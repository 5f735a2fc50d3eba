// A model is not Sendable.
// expect: conformance of 'Trip' to 'Sendable' is unavailable
import SwiftData

@Model final class Trip {
  var name: String

  init(name: String) { self.name = name }
}

func share(_ trip: Trip) {
  let value: any Sendable = trip
  print(value)
}
