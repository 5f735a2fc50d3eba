// A module that is isolated to the main actor by default. The test compiles this folder with this setting.
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

/// Allowed here, because it is isolated to the main actor.
enum Current {
  static var trip: Trip?
}
