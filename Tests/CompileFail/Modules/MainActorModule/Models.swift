// The declarations of this module are isolated to the main actor by default: the test compiles the folder with that
// flag.
import SwiftData

@Model final class Trip {
  var name: String

  init(name: String) { self.name = name }
}

@ModelActor actor TripStore {
  func first() throws -> PersistentIdentifier? {
    try modelContext.fetch(FetchDescriptor<Trip>()).first?.persistentModelID
  }
}

/// This static variable is valid here, because it is isolated to the main actor.
enum Current {
  static var trip: Trip?
}
