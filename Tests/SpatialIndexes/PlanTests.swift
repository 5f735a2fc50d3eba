import ConformanceSupport
import OpenSwiftData
import Testing

@Suite("A predicate that bounds coordinates uses the R-tree")
struct PlanTests {
  private func plan<T: PersistentModel>(
    _ models: [any PersistentModel.Type], _ predicate: Predicate<T>, sortBy: [SortDescriptor<T>] = [],
    _ engine: Engine = .file
  ) throws -> [String] {
    let store = try TestStore(engine, models)
    return try FetchDescriptor(predicate: predicate, sortBy: sortBy).explain(in: store.context()).plan.map(\.text)
  }

  private func usesTree(_ plan: [String]) -> Bool {
    plan.contains { $0.contains("VIRTUAL TABLE INDEX 2:") }
      && plan.contains { $0.contains("INTEGER PRIMARY KEY (rowid=?)") }
  }

  @Test("a predicate with a range in each dimension uses the R-tree", arguments: Engine.with(.sqlite))
  func box(_ engine: Engine) throws {
    let (south, north, west, east) = (-1.0, 1.0, -2.0, 2.0)
    let found = try plan(
      [Place.self],
      #Predicate<Place> {
        $0.latitude >= south && $0.latitude <= north && $0.longitude > west && $0.longitude < east
      }, engine)
    #expect(
      found == [
        "SEARCH Place USING INTEGER PRIMARY KEY (rowid=?)", "LIST SUBQUERY 1",
        "SCAN _osd_rtree_Place_latitude_longitude VIRTUAL TABLE INDEX 2:D1B0D3B2",
      ])
  }

  @Test("reversed comparisons, Range and ClosedRange, constants and calculations use the R-tree")
  func spellings() throws {
    let (low, high, step) = (1.0, 2.0, 0.5)
    let (closed, half) = (1.0...2.0, 1.0..<2.0)
    #expect(usesTree(try plan([Place.self], #Predicate<Place> { low <= $0.latitude && high >= $0.latitude })))
    #expect(usesTree(try plan([Place.self], #Predicate<Place> { (low...high).contains($0.latitude) })))
    #expect(usesTree(try plan([Place.self], #Predicate<Place> { (low..<high).contains($0.longitude) })))
    #expect(usesTree(try plan([Place.self], #Predicate<Place> { closed.contains($0.longitude) })))
    #expect(usesTree(try plan([Place.self], #Predicate<Place> { half.contains($0.longitude) && $0.name == "x" })))
    #expect(usesTree(try plan([Place.self], #Predicate<Place> { $0.latitude > 1 && $0.latitude < 2 })))
    #expect(
      usesTree(
        try plan([Place.self], #Predicate<Place> { $0.latitude > low - step && $0.latitude < low + step })))
    #expect(usesTree(try plan([Place.self], #Predicate<Place> { $0.latitude == low && $0.longitude == high })))
  }

  @Test("optional coordinates use the R-tree, however they are unwrapped")
  func optionals() throws {
    let (low, high) = (1.0, 2.0)
    #expect(
      usesTree(
        try plan([Spot.self], #Predicate<Spot> { if let x = $0.x { x >= low && x <= high } else { false } })))
    #expect(usesTree(try plan([Spot.self], #Predicate<Spot> { $0.x != nil && $0.x! >= low && $0.x! <= high })))
    #expect(usesTree(try plan([Spot.self], #Predicate<Spot> { $0.y >= low && $0.y <= high })))
  }

  @Test("members of structs, base classes and subclasses of a hierarchy, and sorted fetches use the R-tree")
  func kinds() throws {
    let (low, high) = (1.0, 2.0)
    #expect(
      usesTree(
        try plan([Site.self], #Predicate<Site> { $0.position.latitude >= low && $0.position.latitude <= high })))
    let models: [any PersistentModel.Type] = [Landmark.self, Tower.self]
    #expect(usesTree(try plan(models, #Predicate<Landmark> { $0.x >= low && $0.x <= high })))
    #expect(usesTree(try plan(models, #Predicate<Tower> { $0.x >= low && $0.x <= high })))
    #expect(usesTree(try plan(models, #Predicate<Tower> { $0.height >= low && $0.height <= high })))
    #expect(
      usesTree(
        try plan(
          [Place.self], #Predicate<Place> { $0.latitude >= low && $0.latitude <= high },
          sortBy: [SortDescriptor(\.name)])))
  }

  @Test("a predicate over one to five dimensions uses the R-tree that has the most bounded dimensions")
  func dimensions() throws {
    let (from, to) = (Date(timeIntervalSinceReferenceDate: 0), Date(timeIntervalSinceReferenceDate: 9))
    #expect(usesTree(try plan([Cell.self], #Predicate<Cell> { $0.moment >= from && $0.moment < to })))
    let (one, two, time) = (1...2, Int8(1)...2, from...to)
    let whole = try plan(
      [Cell.self],
      #Predicate<Cell> { one.contains($0.a) && two.contains($0.b) && time.contains($0.moment) })
    #expect(whole.contains { $0.hasPrefix("SCAN _osd_rtree_Cell_a_b_c_d_e ") })
  }

  @Test("a one-sided range, a disjunction, a negation, and a predicate that a plain index serves do not use the R-tree")
  func others() throws {
    let (low, high) = (1.0, 2.0)
    #expect(!usesTree(try plan([Place.self], #Predicate<Place> { $0.latitude >= low })))
    #expect(!usesTree(try plan([Place.self], #Predicate<Place> { $0.latitude >= low && $0.longitude <= high })))
    #expect(!usesTree(try plan([Place.self], #Predicate<Place> { $0.latitude <= low || $0.latitude >= high })))
    #expect(!usesTree(try plan([Place.self], #Predicate<Place> { !($0.latitude >= low && $0.latitude <= high) })))
    #expect(!usesTree(try plan([Cell.self], #Predicate<Cell> { $0.b >= 1 && $0.b <= 2 })))
    let unique = try plan([Station.self], #Predicate<Station> { $0.name == "A" && $0.x >= low && $0.x <= high })
    #expect(unique.contains { $0.hasPrefix("SEARCH Station USING INDEX _osd_unique_Station_name") })
  }

  @Test("counts, aggregates and deletions use the R-tree")
  func purposes() throws {
    let store = try TestStore(.file, [Place.self])
    let context = store.context()
    for number in 0..<100 { context.insert(Place("\(number)", Double(number), Double(-number))) }
    try context.save()
    let box = Place.within(10...19, -90 ... -15)
    #expect(try context.fetchCount(FetchDescriptor(predicate: box)) == 5)
    #expect(try context.sum(of: \Place.latitude, where: box) == 15 + 16 + 17 + 18 + 19)
    try context.delete(model: Place.self, where: box)
    try context.save()
    #expect(try context.fetchCount(FetchDescriptor<Place>()) == 95)
  }
}
