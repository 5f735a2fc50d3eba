// A detached task cannot use a model of the main context, because the task does not run on the main actor.
// expect: risks causing data races
import SwiftData

@MainActor private func renameElsewhere(_ container: ModelContainer) throws {
  let trip = try container.mainContext.fetch(FetchDescriptor<Trip>())[0]
  Task.detached { trip.name = "b" }
}
