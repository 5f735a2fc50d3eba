// A model is no value of a task, whose children run beside it.
// expect: conformance of 'Trip' to 'Sendable' is unavailable
// expect: is not concurrency-safe
import SwiftData

@Model final class Trip {
  var name: String

  init(name: String) { self.name = name }
}

enum Values {
  @TaskLocal static var trip: Trip?
}
