import ConformanceSupport
import SeededNumbers
import SwiftData
import Testing

@testable import PersistenceContext
@testable import PersistenceQueries
@testable import PersistenceRuntime
@testable import PersistenceSchemas

/// Values of each kind that a predicate can capture. They are chosen at random from few values, so that predicates
/// match rows.
private struct Captured {
  let number: Int
  let small: Int8
  let big: UInt64
  let score: Double
  let ratio: Float
  let text: String
  let date: Date
  let token: UUID
  let nickname: String?
  let rating: Double?

  init(_ generator: inout SeededGenerator, of people: [Person]) {
    let person = people[Int.random(in: 0..<people.count, using: &generator)]
    number = [person.age, 0, .min, .max, 3].randomElement(using: &generator) ?? 0
    small = [person.small, .min, .max].randomElement(using: &generator) ?? 0
    big = [person.big, 0, .max, 1 << 63].randomElement(using: &generator) ?? 0
    score = [person.score, .nan, -.infinity, 0].randomElement(using: &generator) ?? 0
    ratio = [person.ratio, .nan, .infinity].randomElement(using: &generator) ?? 0
    text = [person.name, "", "\0", "caf\u{E9}", "cafe\u{301}"].randomElement(using: &generator) ?? ""
    date = [person.born, .distantPast, .distantFuture].randomElement(using: &generator) ?? .now
    token = [person.token, UUID()].randomElement(using: &generator) ?? UUID()
    nickname = [person.nickname, nil, ""].randomElement(using: &generator) ?? nil
    rating = [person.rating, nil, .nan].randomElement(using: &generator) ?? nil
  }

  /// Predicates of many types. Several of them have the same Swift type and differ only in key paths and operators.
  var predicates: [Predicate<Person>] {
    let (number, small, big, score, ratio) = (number, small, big, score, ratio)
    let (text, date, token, nickname, rating) = (text, date, token, nickname, rating)
    return [
      #Predicate { $0.age >= number && $0.age < 40 }, #Predicate { $0.age > number && $0.age <= 40 },
      #Predicate { $0.score < score }, #Predicate { $0.score >= score }, #Predicate { $0.ratio != ratio },
      #Predicate { $0.small == small || $0.big == big }, #Predicate { !($0.big > big) },
      #Predicate { $0.name == text }, #Predicate { $0.name != text && $0.isActive },
      #Predicate { $0.name < text }, #Predicate { $0.name.contains(text) }, #Predicate { $0.name.starts(with: text) },
      #Predicate { $0.born <= date }, #Predicate { $0.token == token }, #Predicate { $0.nickname == nickname },
      #Predicate { $0.nickname != nickname }, #Predicate { $0.rating == rating },
      #Predicate { $0.isActive && $0.age == number }, #Predicate { $0.isActive || !$0.isActive && $0.score == score },
    ]
  }
}

/// `OSD_SOAK` multiplies the length of the random run by a twentieth of its value, and `OSD_SEED` repeats a run with
/// the same seed.
@Suite("Predicates whose shape is cached")
struct TemplateTests {
  @Test("each predicate of a cached shape uses its own values", arguments: Engine.randomCases)
  func values(_ engine: Engine) throws {
    let seed = RandomTesting.seed
    var generator = SeededGenerator(seed: seed)
    let world = try World(engine)
    let context = world.store.context()
    let people = try context.fetch(FetchDescriptor<Person>())
    for _ in 0..<60 * max(1, RandomTesting.soak / 20) {
      let captured = Captured(&generator, of: people)
      RandomTesting.note("compared templates", captured.predicates.count)
      for (number, predicate) in captured.predicates.enumerated() {
        let found = Set(try context.fetch(FetchDescriptor(predicate: predicate)).map(\.persistentModelID))
        let expected = Set(try people.filter { try predicate.evaluate($0) }.map(\.persistentModelID))
        #expect(found == expected, "predicate \(number) of \(captured), seed \(seed)")
      }
    }
  }

  @Test("a cached predicate has the same query tree as without the cache")
  func trees() throws {
    let world = try World(.memory)
    let people = try world.store.context().fetch(FetchDescriptor<Person>())
    var generator = SeededGenerator(seed: 7)
    let used = try entity()
    for _ in 0..<40 {
      let predicates = Captured(&generator, of: people).predicates
      for predicate in predicates {
        let tree = try PredicateTranslator.translate(predicate, entity: used)
        let fresh = try PredicateTranslator.translate(predicate, entity: try entity())
        #expect(tree.nodes == fresh.nodes)
        #expect(tree.values == fresh.values)
      }
    }
  }

  @Test("predicates of the same shape are translated only once")
  func remembered() throws {
    let entity = try entity()
    func isRemembered(_ predicate: Predicate<Person>) -> Bool {
      let memory = PredicateTranslator.memory(of: predicate, entity: entity)
      if case .tree = memory { return true }
      return false
    }
    func range(_ lower: Int, _ upper: Int) -> Predicate<Person> { #Predicate { $0.age >= lower && $0.age < upper } }
    func sameType(_ lower: Int) -> Predicate<Person> { #Predicate { $0.age < lower && $0.age >= lower } }
    #expect(!isRemembered(range(1, 2)))
    _ = try PredicateTranslator.translate(range(1, 2), entity: entity)
    #expect(isRemembered(range(3, 4)))
    #expect(!isRemembered(sameType(3)), "another operator")
    func named(_ name: String?) -> Predicate<Person> { #Predicate { $0.nickname == name } }
    for _ in 0..<40 { _ = try PredicateTranslator.translate(named(nil), entity: entity) }
    _ = try PredicateTranslator.translate(named("a"), entity: entity)
    #expect(isRemembered(named("b")), "however often nil was asked for before")
    #expect(!isRemembered(named(nil)), "nil is looked for in another way")
    let active = #Predicate<Person> { $0.isActive }
    _ = try PredicateTranslator.translate(active, entity: entity)
    #expect(isRemembered(#Predicate { $0.isActive }), "an expression so small that the predicate itself holds it")
    func scored(_ score: Double) -> Predicate<Person> { #Predicate { $0.score == score } }
    _ = try PredicateTranslator.translate(scored(1), entity: entity)
    #expect(isRemembered(scored(2)))
    #expect(!isRemembered(scored(.nan)), "what equals nothing is looked for in another way")
  }

  @Test("predicates that contain more than columns and values are translated each time")
  func unfit() throws {
    let entity = try entity()
    let ages = [1, 2]
    let predicates: [Predicate<Person>] = [
      #Predicate { ages.contains($0.age) }, #Predicate { $0.team?.name == "a" }, #Predicate { $0.age + 1 > 2 },
      #Predicate { $0.former == nil }, #Predicate { $0.level.rawValue == "low" },
    ]
    for predicate in predicates {
      _ = PredicateTranslator.translateParts(of: predicate, entity: entity, storeEntity: nil, directory: nil)
      if case .tree = PredicateTranslator.memory(of: predicate, entity: entity) {
        Issue.record("\(predicate) is remembered")
      }
    }
  }

  private func entity() throws -> EntityLayout {
    let layouts = try EntityLayout.layouts(of: Schema([Person.self]))
    return try #require(layouts.first { $0.modelType == Person.self })
  }
}
