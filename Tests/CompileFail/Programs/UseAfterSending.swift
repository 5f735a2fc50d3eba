// A function cannot use a new model after it has passed the model to a task.
// expect: sending
import SwiftData

@Model final class Trip {
  var name: String

  init(name: String) { self.name = name }
}

func rename() async {
  let trip = Trip(name: "a")
  let task = Task { trip.name = "b" }
  trip.name = "c"
  await task.value
}
