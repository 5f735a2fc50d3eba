// A function cannot use its caller's model in a new task, because the caller may use the model at the same time.
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
