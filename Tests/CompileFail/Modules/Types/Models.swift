// The models and actors of the programs in this folder. Each program is one invalid function or type.
import SwiftData

@Model final class Trip {
  var name: String
  @Relationship(inverse: \Stop.trip) var stops: [Stop] = []

  init(name: String) { self.name = name }
}

@Model final class Stop {
  var place: String
  var trip: Trip?

  init(place: String) { self.place = place }
}

@ModelActor actor TripStore {
  var last: Trip?

  func names() throws -> [String] { try modelContext.fetch(FetchDescriptor<Trip>()).map(\.name) }
}

@ModelActor @globalActor actor StoreActor {
  static let shared = StoreActor(modelContainer: container())
}

@StoreActor final class Selection {
  var trip: Trip?
}

func container() -> ModelContainer { fatalError("never run") }
