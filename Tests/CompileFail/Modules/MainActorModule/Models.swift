// A module whose code is on the main actor unless it says otherwise. The folder is compiled like that.
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

/// Allowed here: only the main actor has it.
enum Current {
  static var trip: Trip?
}
