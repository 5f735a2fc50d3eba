// A task-local value cannot be a model, because child tasks would use it at the same time.
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
