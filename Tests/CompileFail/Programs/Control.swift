// Valid code, which shows that the other programs do not fail because of a missing module or flag.
import SwiftData

@Model final class Trip {
  #Unique<Trip>([\.name])
  @Attribute(.unique) var id: UUID = UUID()
  var name: String
  @Relationship(deleteRule: .cascade, inverse: \Stop.trip) var stops: [Stop] = []

  init(name: String) { self.name = name }
}

@Model final class Stop {
  var place: String
  var trip: Trip?

  init(place: String) { self.place = place }
}

func trips(in container: ModelContainer) async throws -> [PersistentIdentifier] {
  try await Task.detached {
    let context = ModelContext(container)
    context.insert(Trip(name: "a"))
    try context.save()
    return try context.fetch(FetchDescriptor<Trip>(predicate: #Predicate { $0.name == "a" })).map(\.persistentModelID)
  }.value
}

actor Store {
  let container: ModelContainer
  private var context: ModelContext?

  init(_ container: ModelContainer) { self.container = container }

  func names() throws -> [String] {
    let context = self.context ?? ModelContext(container)
    self.context = context
    return try context.fetch(FetchDescriptor<Trip>()).map(\.name)
  }
}
