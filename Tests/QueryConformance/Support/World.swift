import ConformanceSupport
import SwiftData
import Testing

@testable import PersistenceContext
@testable import PersistenceQueries
@testable import PersistenceRuntime

/// A store with people, and checks that compare a fetch with an evaluation of the predicate for every model.
struct World {
  let store: TestStore
  let context: ModelContext

  init(_ engine: Engine = .memory, fill: (ModelContext) throws -> Void = Self.fillUsual) throws {
    store = try TestStore(engine, allModels)
    let context = store.context()
    try fill(context)
    try context.save()
    self.context = store.context()
  }

  /// Uses a store with other models instead of people.
  init(store: TestStore) {
    self.store = store
    context = store.context()
  }

  /// Checks that a fetch finds the models for which the predicate is true, and that the store evaluates the whole
  /// predicate. Counts, fetches of identifiers, and fetches with limit and offset must have the same result.
  func check<Model: PersistentModel>(
    _ predicate: Predicate<Model>, _ comment: String = "", inMemory: Bool = false, matches: Int? = nil,
    at location: SourceLocation = #_sourceLocation
  ) throws {
    let fetched = identifiers(try store.context().fetch(FetchDescriptor(predicate: predicate)))
    let wanted = identifiers(
      try store.context().fetch(FetchDescriptor<Model>()).filter { model in
        // If the predicate cannot be evaluated for a model, the model does not match.
        do { return try predicate.evaluate(model) } catch is PredicateError { return false }
      })
    #expect(fetched == wanted, "\(comment)", sourceLocation: location)
    if let matches { #expect(fetched.count == matches, "the number \(comment)", sourceLocation: location) }
    let obstacles = try obstacles(to: predicate)
    #expect(obstacles.isEmpty == !inMemory, "\(obstacles.map(\.description))", sourceLocation: location)
    let context = store.context()
    #expect(try context.fetchCount(FetchDescriptor(predicate: predicate)) == wanted.count, sourceLocation: location)
    let found = try context.fetchIdentifiers(FetchDescriptor(predicate: predicate))
    #expect(found == wanted, "identifiers \(comment)", sourceLocation: location)
    var window = FetchDescriptor(predicate: predicate)
    (window.fetchOffset, window.fetchLimit) = (1, 2)
    let part = identifiers(try context.fetch(window))
    #expect(part == Array(wanted.dropFirst().prefix(2)), "a window \(comment)", sourceLocation: location)
  }

  /// Compares identifiers instead of keys, because models in custom stores have no keys.
  private func identifiers<Model: PersistentModel>(_ models: [Model]) -> [PersistentIdentifier] {
    models.map(\.persistentModelID)
  }

  /// The reasons why the store does not evaluate parts of the predicate. The reason that applies only to stores without
  /// localized texts is excluded.
  func obstacles<Model: PersistentModel>(to predicate: Predicate<Model>) throws -> [UntranslatableExpression] {
    let map = try store.context().requireIdentityMap(for: Model.self)
    let translated = PredicateTranslator.translateParts(
      of: predicate, entity: map.entity, storeEntity: map.store.storeEntity(of: map.entity), directory: map.store)
    return translated.obstacles.filter { store.engine.has(.readingTexts) || $0.description != Self.readingTexts }
  }

  /// The reason that stores without localized text operations report.
  static let readingTexts = "texts that are searched, compared or counted as people do it"

  // MARK: Contents

  static func fillUsual(_ context: ModelContext) throws {
    let names = ["Ada", "ada", "Bob", "Cle\u{301}o", "Cl\u{E9}o", "D\u{E4}ne", "", "\u{212A}arl", "Karl"]
    let people = names.enumerated().map { index, name in person(name, index) }
    for person in people { context.insert(person) }
    let teams = [Team("Red", city: "Bonn"), Team("Blue"), Team("Empty", city: "Rome")]
    for team in teams { context.insert(team) }
    teams[0].members = Array(people[0...2])
    teams[1].members = [people[3]]
    teams[0].lead = people[0]
    people[1].boss = people[0]
    people[2].boss = people[0]
    people[3].boss = people[1]
    let projects = [Project("Bridge", effort: 3), Project("Road", effort: 8), Project("Tunnel", effort: 0)]
    for project in projects { context.insert(project) }
    teams[0].projects = [projects[0], projects[1]]
    people[0].projects = [projects[0], projects[1]]
    people[3].projects = [projects[1]]
    people[2].likes = [projects[2]]
    people[0].likes = [projects[2], projects[0]]
    let animals = [Dog("Rex", tricks: 3), Cat("Tom", lives: 7), Animal("Egg"), Dog("Fido", tricks: 0)]
    for animal in animals { context.insert(animal) }
    people[0].pets = [animals[0], animals[1]]
    people[3].pets = [animals[2]]
    (animals[0] as? Dog)?.friend = animals[1]
    context.insert(Desk(7, user: people[2]))
    context.insert(Desk(8, user: people[4]))
  }

  static func person(_ name: String, _ index: Int) -> Person {
    let person = Person(name, age: index * 7 - 10)
    person.nickname = index % 3 == 0 ? nil : index % 3 == 1 ? "Nick \(index)" : "nick"
    person.small = Int8(index * 12)
    person.big = index % 2 == 0 ? UInt64(index) : UInt64.max - UInt64(index)
    // Not -0.0, because a query that divides by -0.0 divides by 0.0 (see RealColumnTests).
    person.score = [0.5, 0, .nan, .infinity, 2, -3.25, 1e300, 0, 7][index % 9]
    person.rating = index % 4 == 0 ? nil : person.score
    person.ratio = Float(index) * 0.1
    person.price = Decimal(index) / 4
    person.born = Date(timeIntervalSinceReferenceDate: Double(index) * 1000)
    person.token = UUID(uuid: (UInt8(index), 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1))
    person.link = index % 2 == 0 ? URL(string: "https://example.org/\(index)") : nil
    person.blob = Data(repeating: UInt8(index), count: index)
    person.isActive = index % 2 == 0
    person.level = Level.allCases[index % 3]
    person.rank = index % 4 == 3 ? nil : Rank.allCases[index % 3]
    person.tags = Array(["red", "gr\u{FC}n", "gru\u{308}n", "", "quote\"d", "tab\t"].dropLast(index % 7))
    person.marks = Array([1, 2, Int.max, Int.min, 5].suffix(index % 6))
    person.weights = Array([0.1, 1e21, -0.0, .infinity].prefix(index % 5))
    person.notes = index % 2 == 0 ? ["a": index, "b\"": -1] : [:]
    person.aliases = index % 3 == 0 ? nil : Array(["x", "y"].prefix(index % 3))
    person.address = Address(city: index % 2 == 0 ? "Bonn" : "Rome", zip: index)
    person.former = index % 3 == 0 ? Address(city: "Ulm", zip: -index) : nil
    person.contact = index % 2 == 0 ? .mail(name) : .none
    return person
  }
}
