import ConformanceSupport
import SwiftData
import Testing

private let decomposed = "cafe\u{301}"
private let composed = "caf\u{E9}"

private struct Spot: Codable, Equatable {
  var city: String
  var height: Double
}

private enum Old {
  @Model final class Trip {
    var name: String
    var note: String?
    var gone: String
    var weight: Double
    var spot: Spot
    init(_ name: String, weight: Double = 1) {
      (self.name, self.note, gone, self.weight) = (name, name, name, weight)
      spot = Spot(city: name, height: weight)
    }
  }
  @Model final class Bus {
    var line: String
    init(_ line: String) { self.line = line }
  }
}

private enum RenamedColumns {
  @Model final class Trip {
    @Attribute(originalName: "name") var title: String
    @Attribute(originalName: "note") var name: String?
    var weight: Double
    @Attribute(originalName: "spot") var place: Spot
    init(_ title: String) { (self.title, weight, place) = (title, 0, Spot(city: "", height: 0)) }
  }
  @Model final class Bus {
    var line: String
    init(_ line: String) { self.line = line }
  }
}

private enum RenamedEntities {
  @Model(originalName: "Trip") final class Journey {
    @Attribute(originalName: "name") var title: String
    var note: String = ""
    var weight: Double
    var spot: Spot
    init(_ title: String) { (self.title, weight, spot) = (title, 0, Spot(city: "", height: 0)) }
  }
}

private enum Family {
  @Model class Thing {
    var mark: String = "none"
    init() {}
  }
  @Model final class Trip: Thing {
    var name: String
    var note: String?
    init(_ name: String) {
      self.name = name
      super.init()
    }
  }
  @Model final class Bus: Thing {
    var line: String
    init(_ line: String) {
      self.line = line
      super.init()
    }
  }
}

private enum One: VersionedSchema {
  static let versionIdentifier = Schema.Version(1, 0, 0)
  static var models: [any PersistentModel.Type] { [Trip.self] }
  @Model final class Trip {
    var name: String
    var count: String
    init(_ name: String) { (self.name, count) = (name, name) }
  }
}

private enum Two: VersionedSchema {
  static let versionIdentifier = Schema.Version(2, 0, 0)
  static var models: [any PersistentModel.Type] { [Trip.self] }
  @Model final class Trip {
    @Attribute(originalName: "name") var title: String
    var count: Int = 0
    var copy: String = ""
    init(_ title: String) { self.title = title }
  }
}

/// A plan whose stage has access to both versions.
private enum Staged: SchemaMigrationPlan {
  static var schemas: [any VersionedSchema.Type] { [One.self, Two.self] }
  static var stages: [MigrationStage] {
    [
      .transform(fromVersion: One.self, toVersion: Two.self) { old, new in
        for trip in try old.fetch(FetchDescriptor<One.Trip>()) {
          guard let other = new.model(for: trip.persistentModelID) as? Two.Trip else { continue }
          other.count = trip.count.unicodeScalars.count
          other.copy = trip.name + "e\u{301}"
        }
      }
    ]
  }
}

private enum Secret {
  @Model final class Trip {
    @Attribute(.encrypt) var name: String
    var note: String?
    var gone: String
    @Attribute(.encrypt) var weight: Double
    var spot: Spot
    init(_ name: String) {
      (self.name, note, gone, weight, spot) = (name, name, name, -0.0, Spot(city: name, height: 0))
    }
  }
  @Model final class Bus {
    var line: String
    init(_ line: String) { self.line = line }
  }
}

private func scalars(_ text: String?) -> [UInt32]? { text?.unicodeScalars.map(\.value) }

@Suite("Migrations of texts whose Unicode form the store records in addition to the composed form")
struct OriginalMigrationTests {
  private func store() throws -> MigratedStore {
    let store = try MigratedStore()
    try store.use([Old.Trip.self, Old.Bus.self]) { context in
      context.insert(Old.Trip("plain"))
      context.insert(Old.Trip(decomposed, weight: -0.0))
      context.insert(Old.Trip(composed))
      context.insert(Old.Bus(decomposed))
    }
    return store
  }

  private func originals(_ store: MigratedStore) throws -> [String] {
    try store.contents().placesOfOriginals()
  }

  @Test("the recorded originals follow renamed and exchanged columns, and are deleted with removed columns")
  func renamedColumns() throws {
    let store = try store()
    try store.migrate(to: [RenamedColumns.Trip.self, RenamedColumns.Bus.self]) { context in
      let trips = try context.fetch(FetchDescriptor<RenamedColumns.Trip>())
      let trip = try #require(trips.first { $0.weight == 0 })
      #expect(scalars(trip.title) == scalars(decomposed))
      #expect(scalars(trip.name) == scalars(decomposed))
      #expect(scalars(trip.place.city) == scalars(decomposed))
      #expect(trip.weight.sign == .minus && trip.place.height.sign == .minus)
      #expect(trips.filter { scalars($0.title) == scalars(composed) }.count == 1)
      let bus = try context.fetch(FetchDescriptor<RenamedColumns.Bus>())
      #expect(bus.map { scalars($0.line) } == [scalars(decomposed)])
    }
    #expect(
      try originals(store) == [
        "Bus.line", "Trip.name", "Trip.place_city", "Trip.place_height", "Trip.title", "Trip.weight",
      ])
  }

  @Test("the recorded originals follow renamed entities, and are deleted with removed entities")
  func renamedEntities() throws {
    let store = try store()
    try store.migrate(to: [RenamedEntities.Journey.self]) { context in
      let journey = try #require(
        try context.fetch(FetchDescriptor<RenamedEntities.Journey>()).first { $0.weight == 0 })
      #expect(scalars(journey.title) == scalars(decomposed))
      #expect(scalars(journey.note) == scalars(decomposed))
      #expect(journey.weight.sign == .minus && scalars(journey.spot.city) == scalars(decomposed))
    }
    #expect(try originals(store).allSatisfy { $0.hasPrefix("Journey.") })
    #expect(try originals(store).count == 5)
  }

  @Test("the recorded originals follow rows that move from several tables into one and get new keys")
  func hierarchy() throws {
    let store = try store()
    try store.migrate(to: [Family.Thing.self, Family.Trip.self, Family.Bus.self]) { context in
      let trips = try context.fetch(FetchDescriptor<Family.Trip>())
      let names = trips.map { scalars($0.name) }
      #expect(names.contains(scalars(decomposed)) && names.contains(scalars(composed)) && names.count == 3)
      #expect(trips.allSatisfy { scalars($0.note) == scalars($0.name) })
      let buses = try context.fetch(FetchDescriptor<Family.Bus>())
      #expect(buses.map { scalars($0.line) } == [scalars(decomposed)])
    }
    #expect(try originals(store) == ["Thing.line", "Thing.name", "Thing.note"])
  }

  @Test("stages read and write texts in their original Unicode form, and use them to convert a text to a number")
  func stages() throws {
    let store = try MigratedStore()
    try store.use([One.Trip.self]) { context in
      context.insert(One.Trip(decomposed))
      context.insert(One.Trip(composed))
    }
    let context = ModelContext(try store.open([Two.Trip.self], version: Two.versionIdentifier, plan: Staged.self))
    let trips = try context.fetch(FetchDescriptor<Two.Trip>(sortBy: [SortDescriptor(\.count)]))
    #expect(trips.map(\.count) == [4, 5])
    #expect(trips.map { scalars($0.title) } == [scalars(composed), scalars(decomposed)])
    #expect(trips.map { scalars($0.copy) } == [composed, decomposed].map { scalars($0 + "e\u{301}") })
    #expect(try originals(store) == ["Trip.copy", "Trip.copy", "Trip.title"])
  }

  #if Encryption
    @Test(
      "originals move into the encrypted value when an attribute is encrypted, and back when it is decrypted")
    func encryption() throws {
      let store = try store()
      let key = ModelConfiguration.EncryptionKey()
      func configure(_ configuration: inout ModelConfiguration) { configuration.encryptionKey = key }
      try store.migrate(to: [Secret.Trip.self, Secret.Bus.self], configure) { context in
        let trips = try context.fetch(FetchDescriptor<Secret.Trip>())
        let trip = try #require(trips.first { $0.weight == 0 })
        #expect(scalars(trip.name) == scalars(decomposed) && trip.weight.sign == .minus)
      }
      #expect(try !originals(store).contains { $0 == "Trip.name" || $0 == "Trip.weight" })
      #expect(try originals(store).contains("Trip.note"))
      try store.migrate(to: [Old.Trip.self, Old.Bus.self], configure) { context in
        let trips = try context.fetch(FetchDescriptor<Old.Trip>())
        let trip = try #require(trips.first { $0.weight == 0 })
        #expect(scalars(trip.name) == scalars(decomposed) && trip.weight.sign == .minus)
        #expect(trips.filter { scalars($0.name) == scalars(composed) }.count == 1)
      }
      #expect(try originals(store).contains("Trip.name") && originals(store).contains("Trip.weight"))
    }
  #endif
}
