import ConformanceSupport
import SwiftData
import Testing

@Suite("An R-tree has the coordinates of its table's rows")
struct KeepingInStepTests {
  private let tree = "_osd_rtree_Spot_x_y"

  private func faults(_ store: TestStore) throws -> [String] {
    try store.raw.faults(of: tree, table: "Spot", columns: ["x", "y"])
  }

  @Test("the R-tree has a descriptive name in the database, beside the entity's table")
  func name() throws {
    let store = try TestStore(.file, [Place.self])
    #expect(try store.raw.trees == ["_osd_rtree_Place_latitude_longitude"])
    #expect(try !store.raw.definitions().contains { $0[0].hasPrefix("_osd_index_") })
    #expect(
      try store.raw.definitions().first { $0[0] == "_osd_rtree_Place_latitude_longitude" }?[1]
        == "CREATE VIRTUAL TABLE \"_osd_rtree_Place_latitude_longitude\" USING rtree(\"_osd_key\", \"latitude_min\", "
        + "\"latitude_max\", \"longitude_min\", \"longitude_max\")")
  }

  @Test(
    "insertions, updates of one, both or no coordinate, deletions, and coordinates that become nil update the R-tree")
  func edits() throws {
    let store = try TestStore(.file, [Spot.self])
    let context = store.context()
    let spots = (0..<300).map { (number: Int) -> Spot in
      Spot(number % 7 == 0 ? nil : Double(number), Double(number % 13))
    }
    for spot in spots { context.insert(spot) }
    try context.save()
    #expect(try faults(store).isEmpty)
    for (index, spot) in spots.enumerated() {
      switch index % 6 {
      case 0: spot.x = Double(-index)
      case 1: spot.y = .nan
      case 2: (spot.x, spot.y) = (1, 2)
      case 3: spot.note = "elsewhere"
      case 4: spot.x = nil
      default: context.delete(spot)
      }
    }
    try context.save()
    #expect(try faults(store).isEmpty)
    try context.delete(model: Spot.self, where: #Predicate { $0.y > 5 })
    try context.save()
    #expect(try faults(store).isEmpty)
    try context.delete(model: Spot.self)
    try context.save()
    #expect(try store.raw.column("SELECT count(*) FROM \"\(tree)\"") == ["0"])
  }

  @Test("cascades by contexts and by the database update the R-tree")
  func cascades() throws {
    let store = try TestStore(.file, [Town.self, House.self])
    let context = store.context()
    for number in 0..<4 {
      let town = Town()
      context.insert(town)
      for house in 0..<50 { context.insert(House(Double(house), Double(number), town: town)) }
    }
    try context.save()
    context.delete(try context.fetch(FetchDescriptor<Town>())[0])
    try context.save()
    let raw = try store.raw
    #expect(try raw.faults(of: "_osd_rtree_House_x_y", table: "House", columns: ["x", "y"]).isEmpty)
    try raw.run("PRAGMA foreign_keys = ON")
    try raw.run("DELETE FROM Town WHERE _osd_key = 2")
    #expect(try raw.column("SELECT count(*) FROM \"_osd_rtree_House_x_y\"") == ["100"])
    #expect(try raw.faults(of: "_osd_rtree_House_x_y", table: "House", columns: ["x", "y"]).isEmpty)
  }

  @Test("upserts and an exchange of unique values update the R-tree")
  func upserts() throws {
    let store = try TestStore(.file, [Station.self])
    let context = store.context()
    let (first, second) = (Station("A", 1, 1), Station("B", 2, 2))
    for station in [first, second] { context.insert(station) }
    try context.save()
    context.insert(Station("A", 10, 10))
    try context.save()
    (first.name, second.name) = ("B", "A")
    try context.save()
    #expect(try store.raw.faults(of: "_osd_rtree_Station_x_y", table: "Station", columns: ["x", "y"]).isEmpty)
    #expect(try context.fetchCount(FetchDescriptor<Station>(predicate: #Predicate { $0.x >= 9 && $0.x <= 11 })) == 1)
  }

  @Test("an SQL shell that inserts rows, changes keys and deletes all rows updates the R-tree")
  func shell() throws {
    let store = try TestStore(.file, [Place.self])
    let raw = try store.raw
    try raw.run("INSERT INTO Place (_osd_key, name, latitude, longitude) VALUES (1, 'a', 5.1, 6.1), (2, 'b', 7, 8)")
    try raw.run("UPDATE Place SET _osd_key = 9 WHERE _osd_key = 1")
    try raw.run("UPDATE Place SET latitude = 5.2 WHERE _osd_key = 9")
    try raw.run("INSERT INTO Place (_osd_key, name, latitude, longitude) VALUES (3, 'c', 'far', x'00')")
    let tree = "_osd_rtree_Place_latitude_longitude"
    #expect(try raw.faults(of: tree, table: "Place", columns: ["latitude", "longitude"]).isEmpty)
    let near = FetchDescriptor(predicate: Place.within(5.15...5.25, 6...7))
    #expect(try store.context().fetch(near).map(\.name) == ["a"])
    try raw.run("DELETE FROM Place")
    #expect(try raw.column("SELECT count(*) FROM \"\(tree)\"") == ["0"])
  }

  @Test("in a hierarchy, columns of the root and of a subclass update the R-tree", arguments: Engine.allCases)
  func hierarchy(_ engine: Engine) throws {
    let store = try TestStore(engine, [Landmark.self, Tower.self])
    let context = store.context()
    for number in 0..<60 {
      let place = Double(number)
      context.insert(
        number.isMultiple(of: 2) ? Landmark(place, place) : Tower(place, place, height: place, floors: number))
    }
    try context.save()
    for tower in try context.fetch(FetchDescriptor<Tower>()) where tower.floors > 50 { context.delete(tower) }
    for landmark in try context.fetch(FetchDescriptor<Landmark>()) where landmark.x < 5 { landmark.x += 100 }
    try context.save()
    if engine == .file {
      let raw = try store.raw
      #expect(try raw.trees == ["_osd_rtree_Landmark_x_y", "_osd_rtree_Tower_height_floors"])
      #expect(try raw.faults(of: "_osd_rtree_Landmark_x_y", table: "Landmark", columns: ["x", "y"]).isEmpty)
      #expect(
        try raw.faults(of: "_osd_rtree_Tower_height_floors", table: "Landmark", columns: ["height", "floors"]).isEmpty)
    }
    let fresh = store.context()
    let (far, low, high) = (100.0...200.0, 0.0...9.0, 7.0...11.0)
    let moved = FetchDescriptor<Landmark>(predicate: #Predicate { far.contains($0.x) && low.contains($0.y) })
    #expect(try fresh.fetch(moved).map(\.y).sorted() == [0, 1, 2, 3, 4])
    let towers = FetchDescriptor<Tower>(predicate: #Predicate { high.contains($0.height) && low.contains($0.x) })
    #expect(try fresh.fetch(towers).map(\.floors) == [7, 9])
    let casts = FetchDescriptor<Landmark>(
      predicate: #Predicate { if let tower = $0 as? Tower { tower.floors >= 7 && tower.floors <= 9 } else { false } })
    #expect(try fresh.fetch(casts).map(\.x) == [7, 9])
  }

  @Test(
    "the rollback of a failed save, and of a transaction that throws, reverts the R-tree", arguments: Engine.allCases)
  func failures(_ engine: Engine) throws {
    let store = try TestStore(engine, [Station.self], uniquenessPolicy: .throwError)
    let context = store.context()
    context.insert(Station("A", 1, 1))
    try context.save()
    context.insert(Station("B", 1, 1))
    context.insert(Station("A", 1, 1))
    #expect(throws: SwiftDataError.modelValidationFailure) { try context.save() }
    context.rollback()
    #expect(throws: Failure.self) {
      try context.transaction {
        context.insert(Station("C", 1, 1))
        try context.save()
        throw Failure()
      }
    }
    let low = 0.0...2.0
    let box = FetchDescriptor<Station>(predicate: #Predicate { low.contains($0.x) && low.contains($0.y) })
    #expect(try store.context().fetch(box).map(\.name) == ["A"])
    guard engine == .file else { return }
    #expect(try store.raw.column("SELECT count(*) FROM \"_osd_rtree_Station_x_y\"") == ["1"])
  }
}
