import SwiftData
import Testing

// Tours and stops with several relationships. The names of a model and its relationship, joined by an underscore, are
// the same for different pairs: `Tour` and `stop_hotels`, `Tour_stop` and `hotels`. Join tables must still have
// different names.

private enum Alone {
  @Model final class Tour {
    var name: String
    @Relationship(inverse: nil) var legs: [Hotel] = []
    init(_ name: String) { self.name = name }
  }
  // swift-format-ignore: AlwaysUseLowerCamelCase
  @Model final class Tour_stop {
    var name: String
    @Relationship(inverse: nil) var hotels: [Hotel] = []
    init(_ name: String) { self.name = name }
  }
  @Model final class Hotel {
    var place: String
    init(_ place: String) { self.place = place }
  }
  static let models: [any PersistentModel.Type] = [Tour.self, Tour_stop.self, Hotel.self]
}

private enum Beside {
  @Model final class Tour {
    var name: String
    @Relationship(inverse: nil) var legs: [Hotel] = []
    // swift-format-ignore: AlwaysUseLowerCamelCase
    @Relationship(inverse: nil) var legs_target: [Hotel] = []
    // swift-format-ignore: AlwaysUseLowerCamelCase
    @Relationship(inverse: nil) var stop_hotels: [Hotel] = []
    init(_ name: String) { self.name = name }
  }
  // swift-format-ignore: AlwaysUseLowerCamelCase
  @Model final class Tour_stop {
    var name: String
    @Relationship(inverse: nil) var hotels: [Hotel] = []
    init(_ name: String) { self.name = name }
  }
  @Model final class Hotel {
    var place: String
    init(_ place: String) { self.place = place }
  }
  static let models: [any PersistentModel.Type] = [Tour.self, Tour_stop.self, Hotel.self]
}

private enum OtherCase {
  @Model final class Tour {
    var name: String
    @Relationship(originalName: "legs", inverse: nil) var legS: [Hotel] = []
    init(_ name: String) { self.name = name }
  }
  // swift-format-ignore: AlwaysUseLowerCamelCase
  @Model final class Tour_stop {
    var name: String
    @Relationship(inverse: nil) var hotels: [Hotel] = []
    init(_ name: String) { self.name = name }
  }
  @Model final class Hotel {
    var place: String
    init(_ place: String) { self.place = place }
  }
  static let models: [any PersistentModel.Type] = [Tour.self, Tour_stop.self, Hotel.self]
}

@Suite("Relationships whose join tables would have the same name")
struct LinkNameTests {
  private func alone() throws -> MigratedStore {
    let store = try MigratedStore()
    try store.use(Alone.models) { context in
      let (tour, stop) = (Alone.Tour("Alps"), Alone.Tour_stop("Bern"))
      let (hut, inn) = (Alone.Hotel("hut"), Alone.Hotel("inn"))
      context.insert(tour)
      context.insert(stop)
      context.insert(hut)
      context.insert(inn)
      tour.legs = [inn]
      stop.hotels = [hut, inn]
    }
    return store
  }

  @Test("a relationship keeps its objects when another one with the same table or index name is added or removed")
  func others() throws {
    let store = try alone()
    try store.migrate(to: Beside.models) { context in
      let tour = try #require(try context.fetch(FetchDescriptor<Beside.Tour>()).first)
      let stop = try #require(try context.fetch(FetchDescriptor<Beside.Tour_stop>()).first)
      #expect(tour.legs.map(\.place) == ["inn"])
      #expect(stop.hotels.map(\.place) == ["hut", "inn"])
      #expect(tour.legs_target.isEmpty && tour.stop_hotels.isEmpty)
      let (camp, tent) = (Beside.Hotel("camp"), Beside.Hotel("tent"))
      context.insert(camp)
      context.insert(tent)
      tour.legs_target = [tent]
      tour.stop_hotels = [camp]
    }
    try store.use(Beside.models) { context in
      let tour = try #require(try context.fetch(FetchDescriptor<Beside.Tour>()).first)
      #expect(
        [tour.legs, tour.legs_target, tour.stop_hotels].map { $0.map(\.place) } == [["inn"], ["tent"], ["camp"]])
    }
    try store.migrate(to: Alone.models) { context in
      let tour = try #require(try context.fetch(FetchDescriptor<Alone.Tour>()).first)
      let stop = try #require(try context.fetch(FetchDescriptor<Alone.Tour_stop>()).first)
      #expect(tour.legs.map(\.place) == ["inn"])
      #expect(stop.hotels.map(\.place) == ["hut", "inn"])
    }
  }

  @Test("a relationship keeps its objects when only the case of a letter in its name changes")
  func cases() throws {
    let store = try alone()
    try store.migrate(to: OtherCase.models) { context in
      let tour = try #require(try context.fetch(FetchDescriptor<OtherCase.Tour>()).first)
      #expect(tour.legS.map(\.place) == ["inn"])
    }
  }
}
