import SwiftData
import Testing

@Model
private final class Plot {
  #Unique<Plot>([\.corner.latitude, \.kind], [\.tag?.code])

  var kind: Int
  var corner: Coordinates
  @Attribute(.unique) var area: Coordinates
  var tag: Region?

  init(_ kind: Int, corner: Coordinates, area: Coordinates, tag: Region? = nil) {
    self.kind = kind
    self.corner = corner
    self.area = area
    self.tag = tag
  }
}

@Suite("Unique constraints on structs that are stored in several columns", .serialized)
struct CompositeRuleTests {
  private func save(_ engine: Engine, _ plots: [Plot]) throws {
    let store = try TestStore(engine, [Plot.self], uniquenessPolicy: .throwError)
    for plot in plots {
      // Each plot is saved by a context of its own, so that the constraint compares it with stored rows.
      let context = store.context()
      context.insert(plot)
      try context.save()
    }
  }

  private func point(_ latitude: Double, _ longitude: Double) -> Coordinates {
    Coordinates(latitude: latitude, longitude: longitude)
  }

  @Test("two values of a unique struct may have some equal members, but not all", arguments: Engine.allCases)
  func whole(_ engine: Engine) throws {
    let first = Plot(1, corner: point(0, 0), area: point(1, 1))
    try save(engine, [first, Plot(2, corner: point(0, 0), area: point(1, 2))])
    #expect(throws: SwiftDataError.modelValidationFailure) {
      try save(
        engine,
        [Plot(1, corner: point(0, 0), area: point(1, 1)), Plot(2, corner: point(0, 0), area: point(1, 1))])
    }
  }

  @Test("a constraint may combine members of a struct with other properties", arguments: Engine.allCases)
  func members(_ engine: Engine) throws {
    let error = #expect(throws: SwiftDataError.self) {
      try save(
        engine,
        [Plot(1, corner: point(5, 0), area: point(1, 1)), Plot(1, corner: point(5, 1), area: point(1, 2))])
    }
    #expect("\(try #require(error))".contains("corner_latitude"))
  }

  @Test(
    "a new object updates the row with an equal unique struct, or with an equal unique member of a struct",
    arguments: Engine.allCases)
  func upsert(_ engine: Engine) throws {
    let store = try TestStore(engine, [Plot.self])
    let first = store.context()
    first.insert(Plot(1, corner: point(0, 0), area: point(1, 1)))
    first.insert(Plot(2, corner: point(0, 0), area: point(2, 2)))
    try first.save()
    let second = store.context()
    second.insert(Plot(3, corner: point(0, 0), area: point(1, 1)))
    second.insert(Plot(2, corner: point(0, 9), area: point(3, 3)))
    try second.save()
    let plots = try store.context().fetch(FetchDescriptor<Plot>(sortBy: [SortDescriptor(\.kind)]))
    #expect(plots.map(\.kind) == [2, 3])
    #expect(plots.map(\.corner.longitude) == [9, 0])
    #expect(plots.map(\.area) == [point(3, 3), point(1, 1)])
  }

  @Test("one save can exchange the unique structs of two objects", arguments: Engine.allCases)
  func exchange(_ engine: Engine) throws {
    let store = try TestStore(engine, [Plot.self])
    let context = store.context()
    let plots = [1, 2].map { Plot($0, corner: point(Double($0), 0), area: point(Double($0), 1)) }
    plots.forEach(context.insert)
    try context.save()
    (plots[0].area, plots[1].area) = (plots[1].area, plots[0].area)
    (plots[0].kind, plots[1].kind) = (2, 1)
    (plots[0].corner, plots[1].corner) = (plots[1].corner, plots[0].corner)
    try context.save()
    let found = try store.context().fetch(FetchDescriptor<Plot>(sortBy: [SortDescriptor(\.kind)]))
    #expect(found.map(\.area) == [point(1, 1), point(2, 1)])
    #expect(found.map(\.corner.latitude) == [1, 2])
  }

  @Test("a constraint may name a member of an optional struct", arguments: Engine.allCases)
  func optional(_ engine: Engine) throws {
    func plot(_ number: Double, _ tag: Region?) -> Plot {
      Plot(Int(number), corner: point(number, 0), area: point(number, 1), tag: tag)
    }
    try save(engine, [plot(1, nil), plot(2, nil), plot(3, Region(code: "a", zip: 1)), plot(4, Region())])
    #expect(throws: SwiftDataError.modelValidationFailure) {
      try save(engine, [plot(1, Region(code: "a", zip: 1)), plot(2, Region(code: "a", zip: 2))])
    }
  }
}
