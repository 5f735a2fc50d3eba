import SwiftData
import Testing

// Many versions of one trip planner, whose relationships differ.

private enum OneWay {
  @Model final class Trip {
    var name: String
    var stay: Stay?
    init(_ name: String, _ stay: Stay?) { (self.name, self.stay) = (name, stay) }
  }
  @Model final class Stay {
    var place: String
    init(_ place: String) { self.place = place }
  }
  static let models: [any PersistentModel.Type] = [Trip.self, Stay.self]
}

private enum ManyWithoutInverse {
  @Model final class Trip {
    var name: String
    @Relationship(originalName: "stay", inverse: nil) var stays: [Stay] = []
    init(_ name: String) { self.name = name }
  }
  @Model final class Stay {
    var place: String
    init(_ place: String) { self.place = place }
  }
  static let models: [any PersistentModel.Type] = [Trip.self, Stay.self]
}

private enum ManyWithInverse {
  @Model final class Trip {
    var name: String
    @Relationship(deleteRule: .cascade, originalName: "stay", inverse: \Stay.trip) var stays: [Stay] = []
    init(_ name: String) { self.name = name }
  }
  @Model final class Stay {
    var place: String
    var trip: Trip?
    init(_ place: String) { self.place = place }
  }
  static let models: [any PersistentModel.Type] = [Trip.self, Stay.self]
}

private enum ManyToMany {
  @Model final class Trip {
    var name: String
    @Relationship(inverse: \Stay.trips) var stays: [Stay] = []
    init(_ name: String) { self.name = name }
  }
  @Model final class Stay {
    var place: String
    @Relationship(originalName: "trip") var trips: [Trip] = []
    init(_ place: String) { self.place = place }
  }
  static let models: [any PersistentModel.Type] = [Trip.self, Stay.self]
}

private enum Renamed {
  @Model final class Trip {
    var name: String
    @Relationship(originalName: "stays", inverse: \Stay.journeys) var places: [Stay] = []
    init(_ name: String) { self.name = name }
  }
  @Model final class Stay {
    var place: String
    @Relationship(originalName: "trips") var journeys: [Trip] = []
    init(_ place: String) { self.place = place }
  }
  static let models: [any PersistentModel.Type] = [Trip.self, Stay.self]
}

private enum Required {
  @Model final class Trip {
    var name: String
    var stay: Stay
    init(_ name: String, _ stay: Stay) { (self.name, self.stay) = (name, stay) }
  }
  @Model final class Stay {
    var place: String
    init(_ place: String) { self.place = place }
  }
  static let models: [any PersistentModel.Type] = [Trip.self, Stay.self]
}

private enum Elsewhere {
  @Model final class Trip {
    var name: String
    var stay: Hotel?
    init(_ name: String) { self.name = name }
  }
  @Model final class Hotel {
    var place: String
    init(_ place: String) { self.place = place }
  }
  static let models: [any PersistentModel.Type] = [Trip.self, Hotel.self]
}

@Suite("Lightweight changes of relationships")
struct RelationshipMigrationTests {
  private func oneWay() throws -> MigratedStore {
    let store = try MigratedStore()
    try store.use(OneWay.models) { context in
      let (hut, inn) = (OneWay.Stay("hut"), OneWay.Stay("inn"))
      for trip in [OneWay.Trip("Oslo", hut), OneWay.Trip("Rome", inn), OneWay.Trip("Bonn", nil)] {
        context.insert(trip)
      }
    }
    return store
  }

  @Test("a to-one relationship can become a to-many relationship without an inverse")
  func toMany() throws {
    let store = try oneWay()
    try store.migrate(to: ManyWithoutInverse.models) { context in
      let trips = try context.fetch(FetchDescriptor<ManyWithoutInverse.Trip>(sortBy: [SortDescriptor(\.name)]))
      #expect(trips.map { $0.stays.map(\.place) } == [[], ["hut"], ["inn"]])
    }
  }

  @Test("a to-one relationship can become a to-many relationship with a new inverse")
  func toManyWithInverse() throws {
    let store = try oneWay()
    try store.migrate(to: ManyWithInverse.models) { context in
      let trips = try context.fetch(FetchDescriptor<ManyWithInverse.Trip>(sortBy: [SortDescriptor(\.name)]))
      #expect(trips.map { $0.stays.map(\.place) } == [[], ["hut"], ["inn"]])
      context.delete(trips[1])
      try context.save()
      #expect(try context.fetchCount(FetchDescriptor<ManyWithInverse.Stay>()) == 1)
    }
  }

  @Test("if an object would have to belong to several owners after the migration, the migration throws and lists it")
  func conflict() throws {
    let store = try oneWay()
    try store.use(OneWay.models) { context in
      let trips = try context.fetch(FetchDescriptor<OneWay.Trip>())
      for trip in trips { trip.stay = trips.first { $0.name == "Oslo" }?.stay }
    }
    let error = try store.refusal(of: ManyWithInverse.models)
    #expect(error == .modelValidationFailure)
    #expect("\(error)".contains("Stay.trip holds one object") && "\(error)".contains("3 in row"))
  }

  @Test("many-to-one becomes many-to-many and keeps the list's order; then both sides are renamed without an inverse")
  func chain() throws {
    let store = try MigratedStore()
    try store.use(ManyWithInverse.models) { context in
      let trip = ManyWithInverse.Trip("Oslo")
      context.insert(trip)
      trip.stays = ["c", "a", "b"].map { ManyWithInverse.Stay($0) }
      try context.save()
      trip.stays.swapAt(0, 2)
    }
    try store.migrate(to: ManyToMany.models) { context in
      let trip = try #require(try context.fetch(FetchDescriptor<ManyToMany.Trip>()).first)
      #expect(trip.stays.map(\.place) == ["b", "a", "c"])
      #expect(trip.stays[0].trips.map(\.name) == ["Oslo"])
      trip.stays.append(ManyToMany.Stay("d"))
      trip.stays.swapAt(0, 3)
    }
    try store.migrate(to: Renamed.models) { context in
      let trip = try #require(try context.fetch(FetchDescriptor<Renamed.Trip>()).first)
      #expect(trip.places.map(\.place) == ["d", "a", "c", "b"])
      #expect(trip.places[2].journeys.map(\.name) == ["Oslo"])
    }
  }

  @Test("a required relationship can become optional; the reverse, and another target entity, need a custom stage")
  func optionality() throws {
    let store = try MigratedStore()
    try store.use(Required.models) { $0.insert(Required.Trip("Oslo", Required.Stay("hut"))) }
    try store.migrate(to: OneWay.models) { context in
      let trip = try #require(try context.fetch(FetchDescriptor<OneWay.Trip>()).first)
      #expect(trip.stay?.place == "hut")
      trip.stay = nil
    }
    #expect("\(try store.refusal(of: Required.models))".contains("Trip.stay: It became required"))
    #expect("\(try store.refusal(of: Elsewhere.models))".contains("leads to Hotel instead of Stay"))
    let many = try MigratedStore()
    try many.use(ManyWithoutInverse.models) { $0.insert(ManyWithoutInverse.Trip("Oslo")) }
    // `stay` is a new relationship because its name differs from `stays`, which the migration removes.
    try many.migrate(to: OneWay.models) { _ in }
  }
}

private enum Rules {
  enum Kept {
    @Model final class Trip {
      var name: String
      @Relationship(deleteRule: .noAction, inverse: \Item.trip) var items: [Item] = []
      init(_ name: String) { self.name = name }
    }
    @Model final class Item {
      var text: String
      var trip: Trip?
      init(_ text: String) { self.text = text }
    }
  }
  enum Cascading {
    @Model final class Trip {
      var name: String
      @Relationship(deleteRule: .cascade, inverse: \Item.trip) var items: [Item] = []
      init(_ name: String) { self.name = name }
    }
    @Model final class Item {
      var text: String
      var trip: Trip?
      init(_ text: String) { self.text = text }
    }
  }
}

@Suite("Lightweight changes of delete rules, entities and indexes")
struct RuleMigrationTests {
  @Test("a changed delete rule applies after the migration, which sets dangling references to nil")
  func deleteRule() throws {
    let store = try MigratedStore()
    try store.use([Rules.Kept.Trip.self]) { context in
      let (oslo, rome) = (Rules.Kept.Trip("Oslo"), Rules.Kept.Trip("Rome"))
      context.insert(oslo)
      context.insert(rome)
      oslo.items = [Rules.Kept.Item("1")]
      rome.items = [Rules.Kept.Item("2")]
      try context.save()
      context.delete(rome)
    }
    try store.migrate(to: [Rules.Cascading.Trip.self]) { context in
      let items = try context.fetch(FetchDescriptor<Rules.Cascading.Item>(sortBy: [SortDescriptor(\.text)]))
      #expect(items.map(\.trip?.name) == ["Oslo", nil])
      try context.delete(model: Rules.Cascading.Trip.self)
      try context.save()
      #expect(try context.fetchCount(FetchDescriptor<Rules.Cascading.Item>()) == 1)
    }
  }
}

private enum Indexed {
  enum Plain {
    @Model final class Trip {
      var name: String
      var place: String
      var day: Int
      init(_ name: String, _ day: Int) { (self.name, place, self.day) = (name, "x", day) }
    }
  }
  enum Ruled {
    @Model final class Trip {
      #Index<Trip>([\.day], [\.town, \.day])
      #Unique<Trip>([\.name, \.day])
      var name: String
      @Attribute(originalName: "place") var town: String
      var day: Int
      init(_ name: String, _ day: Int) { (self.name, town, self.day) = (name, "x", day) }
    }
    @Model final class Note {
      var text: String = ""
      init() {}
    }
  }
}

extension RuleMigrationTests {
  @Test("a migration can add and remove indexes, uniqueness constraints and entities")
  func rules() throws {
    let store = try MigratedStore()
    try store.use([Indexed.Plain.Trip.self]) { context in
      for day in 0..<3 { context.insert(Indexed.Plain.Trip("Oslo", day)) }
    }
    try store.migrate(to: [Indexed.Ruled.Trip.self, Indexed.Ruled.Note.self]) { context in
      context.insert(Indexed.Ruled.Note())
      context.insert(Indexed.Ruled.Trip("Oslo", 2))
      try context.save()
      #expect(try context.fetchCount(FetchDescriptor<Indexed.Ruled.Trip>()) == 3)
    }
    // For the migration back, `place` is a new required attribute without a default, so the migration throws.
    #expect("\(try store.refusal(of: [Indexed.Plain.Trip.self]))".contains("Trip.place"))
  }

  @Test("if rows violate a new uniqueness constraint, the migration throws an error with the duplicate values")
  func duplicates() throws {
    let store = try MigratedStore()
    try store.use([Indexed.Plain.Trip.self]) { context in
      for day in [1, 1, 1, 2, 3, 3] { context.insert(Indexed.Plain.Trip("Oslo", day)) }
    }
    let error = try store.refusal(of: [Indexed.Ruled.Trip.self])
    #expect(error == .modelValidationFailure)
    #expect("\(error)".contains("\"Oslo\", 1 (3 times); \"Oslo\", 3 (2 times)"))
  }
}
