import ConformanceSupport
import SwiftData
import Testing

/// Each predicate has one part that the store can evaluate and one part that it cannot. A fetch gives the same
/// guarantees for both parts.
@Suite("Predicates that are partly evaluated in memory")
struct MemoryTests {
  /// A predicate that consists of `$0.age > -5` and a part that no store can evaluate.
  struct Shape: CustomTestStringConvertible, Sendable {
    /// The reason that the log reports for the part evaluated in memory.
    let obstacle: String
    let predicate: Predicate<Person>

    var testDescription: String { obstacle }
  }

  static let shapes: [Shape] = {
    let (range, addresses) = (0..<2, [Address(city: "Bonn", zip: 2), Address(city: "Rome", zip: 5)])
    let (rank, notes) = (Rank.second, ["a": 4, "b\"": -1])
    return [
      Shape(
        obstacle: "a member of type Int of a String", predicate: #Predicate { $0.age > -5 && $0.name.hashValue != 0 }),
      Shape(
        obstacle: "the elements of a ArraySlice<String>",
        predicate: #Predicate { $0.age > -5 && $0.tags[range].contains("red") }),
      Shape(
        obstacle: "a filtered collection (filter) that is compared as a whole",
        predicate: #Predicate { $0.age > -5 && $0.tags.filter { $0 == "red" } == ["red"] }),
      Shape(
        obstacle: "a search for a Array<String> in a Array<String>",
        predicate: #Predicate { $0.age > -5 && $0.tags.starts(with: ["red"]) }),
      Shape(
        obstacle: "the least or greatest element of a Array<Double>",
        predicate: #Predicate { $0.age > -5 && ($0.weights.max() ?? 0) >= 0 }),
      Shape(
        obstacle: "an order of values of type Rank, whose '<' is not the order of its stored values",
        predicate: #Predicate { $0.age > -5 && ($0.rank ?? rank) >= ($0.boss?.rank ?? rank) }),
      Shape(
        obstacle: "a conditional cast (as?) of a value that is no model",
        predicate: #Predicate { $0.age > -5 && ($0.name as Any as? String) != "Ada" }),
      Shape(
        obstacle: "a check of the type (is) of a value that is no model",
        predicate: #Predicate { $0.age > -5 && ($0.nickname as Any) is String }),
      Shape(
        obstacle: "a comparison with a value of type Dictionary<String, Int>, which has no one stored form",
        predicate: #Predicate { $0.age > -5 && $0.notes != notes }),
      Shape(
        obstacle: "a member of type String of a value that has no columns for its members",
        predicate: #Predicate { person in person.age > -5 && addresses.contains { $0.city == person.address.city } }),
      Shape(
        obstacle: "a model of a relationship at an index",
        predicate: #Predicate { $0.age > -5 && $0.projects.first == nil }),
      Shape(
        obstacle: "the elements of a String",
        predicate: #Predicate { $0.age > -5 && $0.name.allSatisfy { !$0.isNumber } }),
    ]
  }()

  private let recorder = LogRecorder()

  private func world(_ engine: Engine) throws -> World { try recorder.listen { try World(engine) } }

  private func keys(_ models: [Person]) -> [PersistentIdentifier] { models.map(\.persistentModelID) }

  /// The models for which Foundation evaluates the predicate to true, in the given order.
  private func matching(
    _ shape: Shape, _ people: [Person], _ order: [SortDescriptor<Person>] = []
  ) throws -> [Person] {
    try people.filter { person in
      do { return try shape.predicate.evaluate(person) } catch is PredicateError { return false }
    }.sorted(using: order)
  }

  @Test(
    "a fetch finds the same models as Foundation, including with limit and offset", arguments: shapes, Engine.allCases)
  func results(_ shape: Shape, _ engine: Engine) throws {
    let world = try world(engine)
    try world.check(shape.predicate, inMemory: true)
    let found = try world.store.context().fetchCount(FetchDescriptor(predicate: shape.predicate))
    #expect(found > 2, "a window would show nothing")
  }

  @Test(
    "the store evaluates the other parts, and the log reports the part evaluated in memory in one line",
    arguments: shapes)
  func rest(_ shape: Shape) throws {
    let world = try world(.memory)
    let descriptor = FetchDescriptor(predicate: shape.predicate)
    let explanation = try descriptor.explain(in: world.context)
    #expect(explanation.sql.contains(#" WHERE "age" > ?1 ORDER BY "#), "\(explanation)")
    #expect(explanation.inMemory.count == 1 && explanation.inMemory[0].contains(shape.obstacle), "\(explanation)")
    recorder.clear()
    _ = try recorder.listen { try world.context.fetch(descriptor) }
    let lines = recorder.all.map(\.message).filter { $0.contains("in memory") }
    #expect(lines.count == 1 && lines[0].contains(shape.obstacle), "\(lines)")
  }

  @Test("a fetch keeps the requested order, with limit and offset", arguments: shapes, Engine.allCases)
  func order(_ shape: Shape, _ engine: Engine) throws {
    let world = try world(engine)
    let orders = [
      [SortDescriptor(\Person.age, order: .reverse)], [SortDescriptor(\.isActive), SortDescriptor(\.name)],
    ]
    for order in orders {
      let context = world.store.context()
      let wanted = try matching(shape, try context.fetch(FetchDescriptor(sortBy: order)))
      var descriptor = FetchDescriptor(predicate: shape.predicate, sortBy: order)
      #expect(keys(try context.fetch(descriptor)) == keys(wanted))
      (descriptor.fetchOffset, descriptor.fetchLimit) = (1, 2)
      #expect(keys(try context.fetch(descriptor)) == keys(Array(wanted.dropFirst().prefix(2))))
      #expect(try context.fetchIdentifiers(descriptor) == keys(Array(wanted.dropFirst().prefix(2))))
      #expect(try context.fetchCount(descriptor) == min(2, wanted.count - 1))
    }
  }

  @Test("a fetch includes pending changes", arguments: shapes, Engine.allCases)
  func pending(_ shape: Shape, _ engine: Engine) throws {
    let world = try world(engine)
    let context = world.store.context()
    let order = [SortDescriptor(\Person.age, order: .reverse), SortDescriptor(\.name)]
    let saved = try matching(shape, try context.fetch(FetchDescriptor(sortBy: order)))
    let savedKeys = keys(saved)
    context.delete(saved[0])
    saved[1].age = -9
    for (index, name) in ["New", "Ada", "Zoe", "newer"].enumerated() { context.insert(World.person(name, index + 3)) }
    let wanted = try matching(shape, try context.fetch(FetchDescriptor(sortBy: order)))
    #expect(!keys(wanted).contains(savedKeys[0]) && !keys(wanted).contains(savedKeys[1]))
    var descriptor = FetchDescriptor(predicate: shape.predicate, sortBy: order)
    #expect(keys(try context.fetch(descriptor)) == keys(wanted))
    for (offset, limit) in [(0, 1), (1, 2), (2, 50), (40, 3)] {
      (descriptor.fetchOffset, descriptor.fetchLimit) = (offset, limit)
      let window = Array(wanted.dropFirst(offset).prefix(limit))
      #expect(keys(try context.fetch(descriptor)) == keys(window))
      #expect(try context.fetchCount(descriptor) == window.count)
    }
    descriptor = FetchDescriptor(predicate: shape.predicate, sortBy: order)
    descriptor.includePendingChanges = false
    #expect(try context.fetchIdentifiers(descriptor) == savedKeys)
  }
}
