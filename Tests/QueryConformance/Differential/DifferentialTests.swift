import ConformanceSupport
import SwiftData
import Testing

@testable import PersistenceContext
@testable import PersistenceQueries
@testable import PersistenceRuntime

/// Evaluates random predicates over random rows. A fetch must find exactly the models for which Foundation's `evaluate`
/// returns true.
///
/// `OSD_SOAK` multiplies the length of the run, and `OSD_SEED` repeats a run with the same seed.
@Suite("Random predicates, evaluated by fetches and in memory")
struct DifferentialTests {
  private static let casesOfWorld = 250

  @Test("fetches find the same models as the evaluation in memory", arguments: Engine.randomCases)
  func agree(_ engine: Engine) throws {
    let seed = RandomTesting.seed
    for round in 0..<RandomTesting.soak {
      guard try agree(engine, seed: seed &+ UInt64(round)) else { return }
      RandomTesting.note("compared predicates", Self.casesOfWorld)
    }
  }

  /// Runs all cases on one random store. Returns false at the first failure, because further cases would probably
  /// report the same error.
  private func agree(_ engine: Engine, seed: UInt64) throws -> Bool {
    var grammar = Grammar(random: SeededGenerator(seed: seed))
    let world = try World(engine) { try RandomRows.fill($0, &grammar) }
    let reader = world.store.context()
    let people = try reader.fetch(FetchDescriptor<Person>())
    for number in 0..<Self.casesOfWorld {
      var words = ""
      let depth = Int.random(in: 0...4, using: &grammar.random)
      let predicate = Predicate<Person> { variable in
        let condition = grammar.condition(on: Erased(variable, "$0"), depth: depth)
        words = condition.words
        return condition
      }
      let outcome = try compare(predicate, people, world, &grammar)
      #expect(outcome == nil, "seed \(seed), case \(number): \(words)")
      if outcome != nil { return false }
    }
    return true
  }

  /// Describes the difference between fetch and evaluation; nil if there is none. A model for which Foundation cannot
  /// evaluate the predicate may match or not.
  private func compare(
    _ predicate: Predicate<Person>, _ people: [Person], _ world: World, _ grammar: inout Grammar
  ) throws -> String? {
    var wanted: [Int64] = []
    var unknown: Set<Int64> = []
    for person in people {
      let key = person._$state.pointee.primaryKey
      do { if try predicate.evaluate(person) { wanted.append(key) } } catch is PredicateError { unknown.insert(key) }
    }
    var descriptor = FetchDescriptor(predicate: predicate)
    if unknown.isEmpty, grammar.chance(4) {
      descriptor.fetchOffset = Int.random(in: 0...3, using: &grammar.random)
      descriptor.fetchLimit = Int.random(in: 0...5, using: &grammar.random)
      wanted = Array(wanted.dropFirst(descriptor.fetchOffset ?? 0).prefix(descriptor.fetchLimit ?? 0))
    }
    let found = try world.context.fetchIdentifiers(descriptor).map { $0.row?.key ?? 0 }
    let known = found.filter { !unknown.contains($0) }
    return known == wanted ? nil : "found \(known), wanted \(wanted)"
  }
}

/// People, teams and projects with all values that are hard to compare.
enum RandomRows {
  static func fill(_ context: ModelContext, _ grammar: inout Grammar) throws {
    let people = (0..<24).map { _ in person(&grammar) }
    for person in people { context.insert(person) }
    let teams = (0..<3).map { _ in Team(grammar.pick(Grammar.texts)) }
    let projects = (0..<6).map { _ in
      Project(grammar.pick(Grammar.texts), effort: Int.random(in: -3...9, using: &grammar.random))
    }
    for team in teams { context.insert(team) }
    for project in projects { context.insert(project) }
    let pets = [Dog("Rex", tricks: 3), Cat("Tom", lives: 7), Cat("Mia", lives: 9), Animal("Egg")]
    for pet in pets {
      context.insert(pet)
      if !grammar.chance(4) { pet.keeper = grammar.pick(people) }
    }
    for person in people {
      if !grammar.chance(3) { person.boss = grammar.pick(people) }
      if grammar.chance(2) { person.team = grammar.pick(teams) }
      person.projects = projects.filter { _ in grammar.chance(4) }
      person.likes = projects.filter { _ in grammar.chance(4) }
    }
  }

  private static func fillOthers(of person: Person, _ grammar: inout Grammar) {
    person.former = grammar.chance(2) ? nil : grammar.pick(Grammar.places)
    person.price = grammar.pick(Grammar.decimals)
    person.born = Date(timeIntervalSinceReferenceDate: grammar.pick(Grammar.seconds))
    person.big = grammar.pick(Grammar.larges)
    person.small = grammar.pick([.min, -1, 0, 5, .max])
    person.ratio = grammar.pick([0.1, 0.2, 0.3, -1, 0])
    for text in Grammar.texts where grammar.chance(15) {
      person.notes[text] = Int.random(in: -2...2, using: &grammar.random)
    }
  }

  private static func person(_ grammar: inout Grammar) -> Person {
    let person = Person(grammar.pick(Grammar.texts), age: Int.random(in: -5...9, using: &grammar.random))
    person.nickname = grammar.chance(3) ? nil : grammar.pick(Grammar.texts)
    // Adding 0 turns -0.0 into 0. A query that divides by -0.0 divides by 0.0 (see RealColumnTests).
    person.score = grammar.pick(Grammar.reals) + 0
    person.rating = grammar.chance(3) ? nil : grammar.pick(Grammar.reals) + 0
    person.isActive = grammar.chance(2)
    person.level = grammar.pick(Level.allCases)
    person.rank = grammar.chance(3) ? nil : grammar.pick(Rank.allCases)
    person.tags = Grammar.texts.filter { _ in grammar.chance(12) }
    person.marks = [900, 3, -2, 0, -700].filter { _ in grammar.chance(3) }
    person.address = Address(city: grammar.pick(Grammar.texts), zip: 0)
    fillOthers(of: person, &grammar)
    return person
  }
}
