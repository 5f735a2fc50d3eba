import SwiftData
import Testing

/// A model with a unique name and a reference to another branch.
@Model
final class Branch {
  @Attribute(.unique) var name: String
  var length: Int
  var parent: Branch?
  @Relationship(inverse: \Branch.parent) var children: [Branch] = []

  init(_ name: String, length: Int = 0, parent: Branch? = nil) {
    self.name = name
    self.length = length
    self.parent = parent
  }
}

@Suite("Saves with many upserts", .serialized)
struct UpsertBatchTests {
  /// Saves `count` new countries whose names already have rows, each with a new city, and returns the number of round
  /// trips.
  private func trips(_ count: Int) throws -> Int {
    let store = try TestStore(.remote, uniqueModels)
    let first = store.context()
    for number in 0..<count { first.insert(Country("\(number)", population: 1)) }
    try first.save()
    let context = store.context()
    for number in 0..<count {
      let country = Country("\(number)", population: 2)
      context.insert(country)
      context.insert(City("Capital", country: country))
    }
    let trips = try store.trips { try context.save() }
    let populations = try store.context().fetch(FetchDescriptor<Country>()).map(\.population)
    #expect(populations == Array(repeating: 2, count: count))
    return trips
  }

  @Test("a hundred upserts take as many round trips as one")
  func tripCount() throws {
    let one = try trips(1)
    #expect(try trips(100) == one)
  }

  @Test("if upserts update 100 rows that have objects, the save reads all the rows again together")
  func registered() throws {
    func trips(_ count: Int) throws -> Int {
      let store = try TestStore(.remote, uniqueModels)
      let first = store.context()
      for number in 0..<count { first.insert(Country("\(number)", population: 1, motto: "old")) }
      try first.save()
      let context = store.context()
      let known = try context.fetch(FetchDescriptor<Country>())
      let new = known.map { Country($0.name, population: 2) }
      for country in new { context.insert(country) }
      let trips = try store.trips { try context.save() }
      for country in known + new { #expect(country.population == 2 && country.motto == nil) }
      #expect(zip(known, new).allSatisfy { $0 == $1 && $0 !== $1 })
      #expect(!context.hasChanges)
      return trips
    }
    let two = try trips(2)
    #expect(try trips(100) == two)
  }

  @Test("if 100 rows have several objects each, saving one object of each reads the rows again together")
  func seconds() throws {
    func trips(_ count: Int) throws -> Int {
      let store = try TestStore(.remote, uniqueModels)
      let context = store.context()
      func insert(_ population: Int) throws -> [Country] {
        let countries = (0..<count).map { Country("\($0)", population: population) }
        for country in countries { context.insert(country) }
        try context.save()
        return countries
      }
      let (first, second) = (try insert(1), try insert(2))
      for country in second { country.population = 3 }
      var trips = try store.trips { try context.save() }
      for country in first + second { #expect(country.population == 3) }
      // These rows already have two objects each. The second one is neither registered under the row's key nor new.
      var third: [Country] = []
      trips += try store.trips { third = try insert(4) }
      for country in first + second + third { #expect(country.population == 4) }
      #expect(!context.hasChanges)
      return trips
    }
    let two = try trips(2)
    #expect(try trips(100) == two)
  }

  @Test("the objects that a context has for several upserted rows get the new values", arguments: Engine.allCases)
  func severalRegistered(_ engine: Engine) throws {
    let store = try TestStore(engine, uniqueModels)
    try store.keep(Country("a", motto: "old"), Country("b", motto: "old"), Country("c", motto: "old"))
    let context = store.context()
    let known = try ["a", "b", "c"].map { try context.one($0, Country.self) }
    let city = City("Capital", country: known[2])
    context.insert(city)
    known[0].population = 9
    let new = ["b", "a", "b"].enumerated().map { Country($1, population: $0) }
    for country in new { context.insert(country) }
    try context.save()
    #expect(known.map(\.population) == [1, 2, 0])
    #expect(known.map(\.motto) == [nil, nil, "old"])
    #expect(new.map(\.population) == [2, 1, 2])
    #expect(city.country === known[2] && known[2].cities.names == ["Capital"])
    #expect(try store.context().names(of: Country.self) == ["a", "b", "c"])
  }

  @Test(
    "each new object updates the row with its unique value, even if the save inserts new rows between them",
    arguments: Engine.allCases)
  func order(_ engine: Engine) throws {
    let store = try TestStore(engine, uniqueModels)
    try store.keep(Country("c"), Country("a"), Country("b"))
    let known = store.context()
    let context = store.context()
    let countries = ["b", "new", "a", "new", "c", "newer", "b"].enumerated().map { Country($1, population: $0) }
    for country in countries {
      context.insert(country)
      context.insert(City("of \(country.population)", country: country))
    }
    try context.save()
    for country in countries {
      let row: Country = try known.one(country.name)
      #expect(country.persistentModelID == row.persistentModelID)
    }
    let fresh = store.context()
    let found = try fresh.fetch(FetchDescriptor<Country>(sortBy: [SortDescriptor(\.name)]))
    #expect(found.map(\.name) == ["a", "b", "c", "new", "newer"])
    #expect(found.map(\.population) == [2, 6, 4, 3, 5])
    #expect(found.map { $0.cities.names } == [["of 2"], ["of 0", "of 6"], ["of 4"], ["of 1", "of 3"], ["of 5"]])
  }

  @Test(
    "two new objects that update rows keep their reference, regardless of the order of their insertion",
    arguments: Engine.allCases)
  func referring(_ engine: Engine) throws {
    for isParentFirst in [true, false] {
      let store = try TestStore(engine, [Branch.self])
      try store.keep(Branch("parent"), Branch("child"))
      let context = store.context()
      let parent = Branch("parent", length: 1)
      let child = Branch("child", length: 2)
      for branch in isParentFirst ? [parent, child] : [child, parent] { context.insert(branch) }
      child.parent = parent
      try context.save()
      for context in [context, store.context()] {
        let found = try context.fetch(FetchDescriptor<Branch>(sortBy: [SortDescriptor(\.name)]))
        #expect(found.map(\.name) == ["child", "parent"] && found.map(\.length) == [2, 1])
        #expect(found.first?.parent === found.last)
        #expect(found.last?.children.map(\.name) == ["child"])
      }
    }
  }

  @Test(
    "if one of several upserts would change the class of a row, the save throws and writes nothing",
    arguments: Engine.allCases)
  func anotherClass(_ engine: Engine) throws {
    let store = try TestStore(engine, vehicleModels)
    func vehicle<T: Vehicle>(_ vehicle: T, _ serial: String) -> T {
      vehicle.serial = serial
      return vehicle
    }
    try store.keep(
      vehicle(Truck("A", size: 1), "a"), vehicle(Bicycle("B"), "b"), vehicle(Truck("C", size: 1), "c"))
    let context = store.context()
    let trucks = ["a", "b", "c"].map { vehicle(Truck($0, size: 2), $0) }
    for truck in trucks { context.insert(truck) }
    let error = #expect(throws: SwiftDataError.self) { try context.save() }
    #expect(error == .modelValidationFailure)
    #expect(error?.explanation?.contains("Bicycle") == true)
    #expect(try store.context().vehicles(Vehicle.self).sorted() == ["Bicycle B", "Truck A", "Truck C"])
    trucks[1].serial = "d"
    try context.save()
    #expect(try store.context().vehicles(Vehicle.self).sorted() == ["Bicycle B", "Truck a", "Truck b", "Truck c"])
  }
}
