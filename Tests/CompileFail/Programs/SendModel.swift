// A model that is used here cannot be used by another task too.
// expect: sending
import SwiftData

@Model final class Trip {
  var name: String

  init(name: String) { self.name = name }
}

func rename(_ trip: Trip) async {
  let task = Task { trip.name = "b" }
  trip.name = "c"
  await task.value
}
