import ConformanceSupport
import SwiftData
import Testing

@Model
class Figure {
  var name: String

  init(name: String) { self.name = name }
}

@Model
final class Circle: Figure {
  var radius: Double

  init(name: String, radius: Double) {
    self.radius = radius
    super.init(name: name)
  }
}

@Model
final class Drawing {
  var number: Int
  var figure: Figure?

  init(_ number: Int, _ figure: Figure?) {
    self.number = number
    self.figure = figure
  }
}

@Suite("A to-one relationship to a base class")
struct FamilyReferenceTests {
  private func store(_ engine: Engine) throws -> TestStore {
    let store = try TestStore(engine, [Figure.self, Circle.self, Drawing.self])
    let context = store.context()
    for number in 0..<6 {
      let figure =
        number % 3 == 0 ? nil : number % 3 == 1 ? Figure(name: "\(number)") : Circle(name: "\(number)", radius: 1)
      context.insert(Drawing(number, figure))
    }
    try context.save()
    return store
  }

  @Test(
    "the destinations of all objects of a fetch are read at once, each with its actual class",
    arguments: Engine.allCases)
  func group(_ engine: Engine) throws {
    let store = try store(engine)
    let context = store.context()
    let drawings = try context.fetch(FetchDescriptor<Drawing>(sortBy: [SortDescriptor(\.number)]))
    let identifiers = try store.context().fetchIdentifiers(FetchDescriptor<Figure>())
    #expect(identifiers.count == 4)
    func registered() -> Int {
      identifiers.count { (context.registeredModel(for: $0) as Figure?) != nil }
    }
    #expect(registered() == 0)
    #expect(drawings[1].figure?.name == "1")
    #expect(registered() == 4)
    #expect(drawings.map { $0.figure?.name } == [nil, "1", "2", nil, "4", "5"])
    #expect(drawings.map { $0.figure is Circle } == [false, false, true, false, false, true])
    #expect(!context.hasChanges)
  }

  @Test("an unsaved reference keeps its value", arguments: Engine.allCases)
  func pending(_ engine: Engine) throws {
    let store = try store(engine)
    let context = store.context()
    let drawings = try context.fetch(FetchDescriptor<Drawing>(sortBy: [SortDescriptor(\.number)]))
    drawings[2].figure = nil
    #expect(drawings[1].figure?.name == "1")
    #expect(drawings[2].figure == nil)
    try context.save()
    let stored = try store.context().fetch(FetchDescriptor<Drawing>(sortBy: [SortDescriptor(\.number)]))
    #expect(stored.map { $0.figure?.name } == [nil, "1", nil, nil, "4", "5"])
  }
}
