import SwiftData

@Model final class Trip {
  var name: String
  var days: Int
  @Relationship(deleteRule: .cascade, inverse: \Stop.trip) var stops: [Stop] = []
  @Relationship(inverse: \Traveller.trips) var travellers: [Traveller] = []

  init(_ name: String, days: Int = 1) {
    self.name = name
    self.days = days
  }
}

@Model final class Stop {
  var place: String
  var trip: Trip?

  init(_ place: String) { self.place = place }
}

@Model final class Traveller {
  @Attribute(.unique) var name: String
  var trips: [Trip] = []

  init(_ name: String) { self.name = name }
}

let tripModels: [any PersistentModel.Type] = [Trip.self, Stop.self, Traveller.self]

extension TestStore {
  convenience init(_ engine: Engine) throws {
    try self.init(engine, tripModels)
  }

  func save(_ names: String...) throws {
    let context = context()
    for name in names { context.insert(Trip(name)) }
    try context.save()
  }

  var storedNames: [String] {
    get throws { try context().fetch(FetchDescriptor<Trip>()).map(\.name).sorted() }
  }
}

extension ModelContext {
  func trip(_ name: String) throws -> Trip {
    guard let trip = try fetch(FetchDescriptor<Trip>(predicate: #Predicate { $0.name == name })).first else {
      throw Failure()
    }
    return trip
  }
}
