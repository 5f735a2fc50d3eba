import ConformanceSupport
import SwiftData
import Testing

private enum Old {
  @Model final class Trip {
    var name: String
    // swift-format-ignore: AlwaysUseLowerCamelCase
    var start_date: Date
    // swift-format-ignore: AlwaysUseLowerCamelCase
    var end_date: Date
    var rating: Int?
    var seats: Int16
    var price: Int
    var obsolete: String
    init(_ name: String, rating: Int? = nil) {
      self.name = name
      start_date = Date(timeIntervalSinceReferenceDate: 1)
      end_date = Date(timeIntervalSinceReferenceDate: 2)
      self.rating = rating
      seats = -3
      price = 12
      obsolete = "x"
    }
  }
}

private enum Mood: String, Codable { case calm, wild }

private enum New {
  @Model final class Trip {
    var name: String
    @Attribute(originalName: "start_date") var startDate: Date
    @Attribute(originalName: "end_date") var endDate: Date
    var rating: Int = 5
    var seats: Int64
    var price: Double
    var note: String?
    var mood: Mood = Mood.wild
    var tags: [String] = ["it's", "new"]
    var weight: Double = -0.1
    var identifier: UUID = UUID()
    var made: Date = Date()
    var bytes: Data = Data([1, 2])
    var isOpen: Bool = true
    var cost: Decimal = 1.5
    init(name: String) {
      self.name = name
      startDate = .now
      endDate = .now
      seats = 0
      price = 0
    }
  }
}

@Suite("Lightweight changes of attributes")
struct AttributeMigrationTests {
  @Test("added, renamed, widened and newly required attributes keep their values or get their defaults")
  func all() throws {
    let store = try MigratedStore()
    try store.use([Old.Trip.self]) { context in
      context.insert(Old.Trip("Oslo", rating: 2))
      context.insert(Old.Trip("Rome"))
    }
    try store.migrate(to: [New.Trip.self]) { context in
      let trips = try context.fetch(FetchDescriptor<New.Trip>(sortBy: [SortDescriptor(\.name)]))
      #expect(trips.map(\.name) == ["Oslo", "Rome"])
      #expect(trips.map(\.rating) == [2, 5])
      for trip in trips {
        #expect(trip.startDate == Date(timeIntervalSinceReferenceDate: 1))
        #expect(trip.endDate == Date(timeIntervalSinceReferenceDate: 2))
        #expect(trip.seats == -3 && trip.price == 12 && trip.note == nil && trip.mood == .wild)
        #expect(trip.tags == ["it's", "new"] && trip.weight == -0.1 && trip.bytes == Data([1, 2]))
        #expect(trip.isOpen && trip.cost == 1.5 && abs(trip.made.timeIntervalSinceNow) < 60)
      }
      #expect(Set(trips.map(\.identifier)).count == 2)
      let dear = try context.fetch(
        FetchDescriptor<New.Trip>(predicate: #Predicate { $0.price > 11.5 && $0.weight < 0 }))
      #expect(dear.count == 2)
    }
    // The older version lacks some properties, whose values a migration back would lose, so it is rejected.
    let error = try store.refusal(of: [Old.Trip.self])
    #expect(error == .unknownSchema)
    #expect("\(error)".contains("Trip.price") && "\(error)".contains("Trip.obsolete"))
  }

  @Test("an identifier from before the migration still identifies its object")
  func identifiers() throws {
    let store = try MigratedStore()
    var identifier: PersistentIdentifier?
    try store.use([Old.Trip.self]) { context in
      let trip = Old.Trip("Oslo")
      context.insert(trip)
      try context.save()
      identifier = trip.persistentModelID
    }
    try store.migrate(to: [New.Trip.self]) { context in
      let known = try #require(identifier)
      #expect((context.model(for: known) as? New.Trip)?.name == "Oslo")
    }
  }
}

private enum Swapped {
  enum Before {
    @Model final class Pair {
      var first: String
      var second: String?
      init(_ first: String, _ second: String?) { (self.first, self.second) = (first, second) }
    }
  }
  enum After {
    @Model final class Pair {
      @Attribute(originalName: "second") var first: String?
      @Attribute(originalName: "first") var second: String
      init() { second = "" }
    }
  }
  enum Stale {
    @Model final class Pair {
      // This original name is outdated: the store already has both properties.
      @Attribute(originalName: "second") var first: String
      init() { first = "" }
    }
  }
}

@Suite("Renamed attributes")
struct RenamingTests {
  @Test("two attributes can exchange their names")
  func swap() throws {
    let store = try MigratedStore()
    try store.use([Swapped.Before.Pair.self]) { $0.insert(Swapped.Before.Pair("a", "b")) }
    try store.migrate(to: [Swapped.After.Pair.self]) { context in
      let pair = try #require(try context.fetch(FetchDescriptor<Swapped.After.Pair>()).first)
      #expect(pair.first == "b" && pair.second == "a")
    }
  }

  @Test("an outdated original name does not move the values of a property that still exists")
  func stale() throws {
    let store = try MigratedStore()
    try store.use([Swapped.Before.Pair.self]) { $0.insert(Swapped.Before.Pair("a", "b")) }
    try store.migrate(to: [Swapped.Stale.Pair.self]) { context in
      let pairs = try context.fetch(FetchDescriptor<Swapped.Stale.Pair>())
      #expect(pairs.map(\.first) == ["a"])
    }
  }
}

private enum Types {
  @Model final class Before {
    var text: String
    var number: Int64
    var large: UInt64
    var real: Double
    var maybe: String?
    init(number: Int64 = 1, large: UInt64 = 1) {
      text = "1"
      self.number = number
      self.large = large
      real = 1
    }
  }
  enum Text {
    @Model final class Before {
      var text: Int
      var number: Int64
      var large: UInt64
      var real: Double
      var maybe: String?
      init() {
        text = 0
        number = 0
        large = 0
        real = 0
      }
    }
  }
  enum Narrow {
    @Model final class Before {
      var text: String
      var number: Int32
      var large: UInt64
      var real: Float
      var maybe: String?
      init() {
        text = ""
        number = 0
        large = 0
        real = 0
      }
    }
  }
  enum Required {
    @Model final class Before {
      var text: String
      var number: Int64
      var large: UInt64
      var real: Double
      var maybe: String
      var more: Int
      init() {
        text = ""
        number = 0
        large = 0
        real = 0
        maybe = ""
        more = 0
      }
    }
  }
  enum Wide {
    @Model final class Before {
      var text: String
      var number: Double
      var large: Double
      var real: Double
      var maybe: String?
      init() {
        text = ""
        number = 0
        large = 0
        real = 0
      }
    }
  }
  enum Exact {
    @Model final class Before {
      var text: String
      var number: Decimal
      var large: UInt64
      var real: Double
      var maybe: String?
      init() {
        text = ""
        number = 0
        large = 0
        real = 0
      }
    }
  }
}

@Suite("Changes that are not lightweight")
struct ObstacleTests {
  private func store(_ model: @autoclosure () -> Types.Before) throws -> MigratedStore {
    let store = try MigratedStore()
    try store.use([Types.Before.self]) { $0.insert(model()) }
    return store
  }

  @Test("a changed or narrower type, or a required property without default, throws an error that names a remedy")
  func refusals() throws {
    let store = try store(Types.Before())
    let text = "\(try store.refusal(of: [Types.Text.Before.self]))"
    #expect(text.contains("Before.text: A stored String does not become a Int") && text.contains(".transform stage"))
    let narrow = "\(try store.refusal(of: [Types.Narrow.Before.self]))"
    #expect(narrow.contains("Before.number") && narrow.contains("Before.real"))
    let required = "\(try store.refusal(of: [Types.Required.Before.self]))"
    #expect(required.contains("Before.maybe: It became required and has no default"))
    #expect(required.contains("Before.more: It is a new required attribute and has no default"))
  }

  @Test("integers become floating-point numbers only if no value is rounded; otherwise the error lists the values")
  func rounding() throws {
    let wrong = try store(Types.Before(number: 9_007_199_254_740_993))
    let error = try wrong.refusal(of: [Types.Wide.Before.self])
    #expect("\(error)".contains("9007199254740993 in row 1") && error == .modelValidationFailure)
    let large = try store(Types.Before(large: .max))
    #expect("\(try large.refusal(of: [Types.Wide.Before.self]))".contains("Before.large"))
    let right = try store(Types.Before(number: -9_007_199_254_740_992, large: 1 << 62))
    try right.migrate(to: [Types.Wide.Before.self]) { context in
      let object = try #require(try context.fetch(FetchDescriptor<Types.Wide.Before>()).first)
      #expect(object.number == -9_007_199_254_740_992 && object.large == 4_611_686_018_427_387_904)
    }
  }

  @Test("integers become decimals with the same values")
  func decimals() throws {
    let store = try store(Types.Before(number: .max))
    try store.migrate(to: [Types.Exact.Before.self]) { context in
      let objects = try context.fetch(FetchDescriptor<Types.Exact.Before>())
      #expect(objects.map(\.number) == [Decimal(Int64.max)])
    }
  }

  @Test("opening a store with a schema of a lower version number throws")
  func downgrade() throws {
    let store = try MigratedStore()
    _ = try store.open([Old.Trip.self], version: Schema.Version(2, 0, 0))
    #expect(try store.refusal(of: [New.Trip.self], version: Schema.Version(1, 9, 9)) == .backwardMigration)
  }

  @Test("opening a read-only store with a changed schema throws and leaves the file unchanged", .onSQLite)
  func readOnly() throws {
    let store = try MigratedStore()
    try store.use([Old.Trip.self]) { $0.insert(Old.Trip("Oslo")) }
    let before = try Data(contentsOf: store.url)
    let error = #expect(throws: SwiftDataError.self) {
      _ = try ModelContainer(
        for: Schema([New.Trip.self]), configurations: [ModelConfiguration(url: store.url, allowsSave: false)])
    }
    #expect(error == .storeReadOnly && "\(error.map { "\($0)" } ?? "")".contains("allowsSave"))
    #expect(try Data(contentsOf: store.url) == before)
  }
}
