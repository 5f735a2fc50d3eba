import SwiftData
import Testing

private enum Apart {
  @Model final class Trip {
    var name: String
    var guide: Guide?
    init(_ name: String) { self.name = name }
  }
  @Model final class Cruise {
    var name: String
    var ship: String
    @Relationship(inverse: nil) var next: Cruise?
    init(_ name: String, _ ship: String) { (self.name, self.ship) = (name, ship) }
  }
  @Model final class Guide {
    var name: String
    @Relationship(inverse: nil) var cruise: Cruise?
    @Relationship(inverse: nil) var cruises: [Cruise] = []
    init(_ name: String) { self.name = name }
  }
  static let models: [any PersistentModel.Type] = [Trip.self, Cruise.self, Guide.self]
}

private enum Together {
  @Model class Trip {
    var name: String
    var guide: Guide?
    init(_ name: String) { self.name = name }
  }
  @Model final class Cruise: Trip {
    var ship: String = ""
    @Relationship(inverse: nil) var next: Cruise?
    init(_ name: String, _ ship: String) {
      self.ship = ship
      super.init(name)
    }
  }
  @Model final class Guide {
    var name: String
    @Relationship(inverse: nil) var cruise: Cruise?
    @Relationship(inverse: nil) var cruises: [Cruise] = []
    init(_ name: String) { self.name = name }
  }
  static let models: [any PersistentModel.Type] = [Trip.self, Cruise.self, Guide.self]
}

private enum Shrunk {
  @Model class Trip {
    var name: String
    var guide: Guide?
    var days: Int = 3
    init(_ name: String) { self.name = name }
  }
  @Model final class Guide {
    var name: String
    init(_ name: String) { self.name = name }
  }
  static let models: [any PersistentModel.Type] = [Trip.self, Guide.self]
}

@Suite("Lightweight changes of hierarchies")
struct HierarchyMigrationTests {
  private func apart() throws -> MigratedStore {
    let store = try MigratedStore()
    try store.use(Apart.models) { context in
      let guide = Apart.Guide("Ida")
      let (first, second) = (Apart.Cruise("North", "Fram"), Apart.Cruise("South", "Maud"))
      for index in 0..<3 {
        let trip = Apart.Trip("trip \(index)")
        context.insert(trip)
        trip.guide = guide
      }
      context.insert(first)
      context.insert(second)
      first.next = second
      guide.cruise = second
      guide.cruises = [second, first]
    }
    return store
  }

  @Test("an entity gets a superentity: its rows move and get new keys, and references to them are updated")
  func join() throws {
    let store = try apart()
    try store.migrate(to: Together.models) { context in
      let trips = try context.fetch(FetchDescriptor<Together.Trip>(sortBy: [SortDescriptor(\.name)]))
      #expect(trips.map(\.name) == ["North", "South", "trip 0", "trip 1", "trip 2"])
      #expect(trips[2].guide?.name == "Ida" && trips[0].guide == nil)
      let cruises = try context.fetch(FetchDescriptor<Together.Cruise>(sortBy: [SortDescriptor(\.name)]))
      #expect(cruises.map(\.ship) == ["Fram", "Maud"])
      #expect(cruises[0].next === cruises[1] && cruises[1].next == nil)
      let guide = try #require(try context.fetch(FetchDescriptor<Together.Guide>()).first)
      #expect(guide.cruise === cruises[1])
      #expect(guide.cruises.map(\.name) == ["South", "North"])
      context.insert(Together.Cruise("West", "Gjøa"))
    }
  }

  @Test("a hierarchy is split: existing rows keep their keys, and later rows get other keys")
  func part() throws {
    let store = try apart()
    try store.migrate(to: Together.models) { _ in }
    try store.migrate(to: Apart.models) { context in
      #expect(try context.fetchCount(FetchDescriptor<Apart.Trip>()) == 3)
      let cruises = try context.fetch(FetchDescriptor<Apart.Cruise>(sortBy: [SortDescriptor(\.name)]))
      #expect(cruises.map(\.ship) == ["Fram", "Maud"] && cruises[0].next === cruises[1])
      let guide = try #require(try context.fetch(FetchDescriptor<Apart.Guide>()).first)
      #expect(guide.cruise === cruises[1] && guide.cruises.map(\.name) == ["South", "North"])
      context.insert(Apart.Cruise("West", "Gjøa"))
      try context.save()
      #expect(try context.fetchCount(FetchDescriptor<Apart.Cruise>()) == 3)
    }
  }

  @Test("the rows of a removed subclass are deleted")
  func removal() throws {
    let store = try apart()
    try store.migrate(to: Together.models) { _ in }
    try store.migrate(to: Shrunk.models) { context in
      let trips = try context.fetch(FetchDescriptor<Shrunk.Trip>(sortBy: [SortDescriptor(\.name)]))
      #expect(trips.map(\.name) == ["trip 0", "trip 1", "trip 2"])
      #expect(trips.allSatisfy { $0.days == 3 && $0.guide?.name == "Ida" })
    }
  }
}

private enum Siblings {
  @Model class Base {
    var name: String
    init(_ name: String) { self.name = name }
  }
  @Model final class Left: Base {
    var size: Int = 0
    override init(_ name: String) { super.init(name) }
  }
  @Model final class Right: Base {
    var size: Int = 0
    override init(_ name: String) { super.init(name) }
  }
}

@Suite("Names in the database")
struct NameTests {
  @Test("the columns of sibling classes with the same name do not depend on the order of the models")
  func siblings() throws {
    let store = try MigratedStore()
    try store.use([Siblings.Base.self, Siblings.Right.self, Siblings.Left.self]) { context in
      let (left, right) = (Siblings.Left("l"), Siblings.Right("r"))
      context.insert(left)
      context.insert(right)
      (left.size, right.size) = (1, 2)
    }
    try store.use([Siblings.Left.self, Siblings.Right.self]) { context in
      let (left, right) = (FetchDescriptor<Siblings.Left>(), FetchDescriptor<Siblings.Right>())
      let sizes = (try context.fetch(left).map(\.size), try context.fetch(right).map(\.size))
      #expect(sizes == ([1], [2]))
    }
  }
}
