import ConformanceSupport
import SeededNumbers
import SwiftData
import Testing

@testable import PersistenceContext
@testable import PersistenceQueries
@testable import PersistenceRuntime
@testable import PersistenceSchemas

@Suite("Combined predicates")
struct CombinedPredicateTests {
  private let isOld = #Predicate<Person> { $0.age > 3 }
  private let isActive = #Predicate<Person> { $0.isActive }
  private let isRed = #Predicate<Person> { $0.team?.name == "Red" }
  /// A condition that no store can evaluate.
  private let hasHash = #Predicate<Person> { $0.name.hashValue != 0 }

  private func isAged(_ age: Int) -> Predicate<Person> { #Predicate { $0.age == age } }

  @Test("combined predicates become one query, without redundant parentheses", arguments: Engine.allCases)
  func store(_ engine: Engine) throws {
    let world = try World(engine)
    try world.check(.all([isOld, isActive]), becomes: #""age" > ?1 AND "isActive" = 1"#)
    try world.check(.any([isOld, isActive, isAged(-10)]), becomes: #""age" > ?1 OR "isActive" = 1 OR "age" = ?2"#)
    try world.check(isOld.negated, becomes: #"NOT ("age" > ?1)"#)
    try world.check(
      .all([isActive, .any([isOld, isAged(-10)])]), becomes: #""isActive" = 1 AND ("age" > ?1 OR "age" = ?2)"#)
    try world.check(
      .any([isOld, isRed]),
      becomes:
        #"LEFT JOIN "Team" AS t1 ON t1."_osd_key" = "Person"."team" WHERE "Person"."age" > ?1 OR t1."name" = ?2"#
    )
  }

  @Test(
    "match everything with `all` of an empty list, and nothing with `any` of an empty list", arguments: Engine.allCases)
  func empty(_ engine: Engine) throws {
    let world = try World(engine)
    try world.check(Predicate<Person>.all([]), matches: 9)
    try world.check(Predicate<Person>.any([]), matches: 0)
    try world.check(Predicate<Person>.all([]).negated, matches: 0)
    try world.check(Predicate<Person>.any([]).negated, matches: 9)
    try world.check(.all([.any([]), isOld]), matches: 0)
    try world.check(.any([.all([]), isOld]), matches: 9)
  }

  @Test("a combined predicate matches the same models as its parts do, in any nesting")
  func nesting() throws {
    let world = try World(.memory)
    let seed = RandomTesting.seed
    var generator = SeededGenerator(seed: seed)
    var leaves = [isOld, isActive, isRed, isAged(-10), isAged(4), isAged(11)]
    leaves.append(#Predicate { $0.nickname == nil })
    leaves.append(#Predicate { $0.rating ?? 0 > 1 })
    leaves.append(#Predicate { $0.tags.contains("red") })
    leaves.append(#Predicate { $0.reports.contains { $0.age > 3 } })
    leaves.append(#Predicate { $0.name.contains("a") || $0.age < 0 })
    func random(_ depth: Int) -> Predicate<Person> {
      guard depth > 0, Int.random(in: 0..<4, using: &generator) > 0 else {
        return leaves.randomElement(using: &generator) ?? isOld
      }
      let parts = (0..<Int.random(in: 0..<5, using: &generator)).map { _ in random(depth - 1) }
      switch Int.random(in: 0..<3, using: &generator) {
      case 0: return .all(parts)
      case 1: return .any(parts)
      default: return random(depth - 1).negated
      }
    }
    let count = 150 * RandomTesting.soak
    for number in 0..<count { try world.check(random(4), "number \(number) of seed \(seed)") }
    RandomTesting.note("compared predicates of predicates", count)
  }

  @Test(
    "a thousand predicates can be combined, although databases limit the depth of expressions",
    arguments: Engine.randomCases)
  func thousand(_ engine: Engine) throws {
    let world = try World(engine)
    try world.check(.any((0..<1_000).map { isAged($0 + 4) }), matches: 7)
    try world.check(.all((0..<1_000).map { isAged($0 + 4).negated }), matches: 2)
  }

  @Test("eight thousand predicates can be combined")
  func thousands() throws {
    let world = try World(.memory)
    let words = (0..<8_000).map { number in #Predicate<Person> { $0.name.contains("x\(number)") } }
    let either = Predicate<Person>.any(words + [isAged(-10)])
    #expect(try world.obstacles(to: either).isEmpty)
    #expect(try world.context.fetch(FetchDescriptor(predicate: either)).map(\.age) == [-10])
  }

  @Test("predicates can be combined one by one without deep nesting")
  func growing() throws {
    let world = try World(.memory)
    var (all, any) = (Predicate<Person>.all([]), Predicate<Person>.any([]))
    for age in 0..<1_000 {
      all = .all([all, isAged(age - 10).negated])
      any = .any([any, isAged(age - 10)])
    }
    try world.check(all, matches: 0)
    try world.check(any, matches: 9)
    var same = isOld
    for _ in 0..<10_000 { same = same.negated }
    try world.check(same, becomes: #""age" > ?1"#)
  }

  @Test("combined predicates too deep for the database are evaluated in memory; those too deep for the stack throw")
  func depth() throws {
    let world = try World(.memory)
    func nested(_ depth: Int) -> Predicate<Person> {
      (0..<depth).reduce(isOld) { inner, level in
        level.isMultiple(of: 2) ? .any([inner, isAged(level)]) : .all([inner, isActive])
      }
    }
    try world.check(nested(8))
    try world.check(nested(9), inMemory: true)
    try world.check(nested(200), inMemory: true)
    let model = try #require(try world.context.fetch(FetchDescriptor<Person>()).first)
    #expect(throws: SwiftDataError.unsupportedPredicate) { try nested(1_000).evaluate(model) }
    #expect(throws: SwiftDataError.unsupportedPredicate) {
      try world.context.fetch(FetchDescriptor(predicate: nested(1_000)))
    }
  }

  @Test(
    "only the untranslatable parts of a conjunction are evaluated in memory; otherwise the whole predicate is",
    arguments: Engine.allCases)
  func parts(_ engine: Engine) throws {
    let world = try World(engine)
    let words = "a member of type Int of a String"
    try world.check(
      .all([isOld, hasHash, isActive]), becomes: #""age" > ?1 AND "isActive" = 1"#, inMemory: words)
    try world.check(
      .all([.any([hasHash, isOld]), .all([isActive, hasHash])]), becomes: #""isActive" = 1"#, inMemory: words)
    try world.check(.any([isOld, hasHash]), inMemory: true)
    try world.check(.all([isOld, hasHash]).negated, inMemory: true)
  }

  @Test("lists and values beyond the limit of a statement are evaluated in memory")
  func limits() throws {
    let world = try World(.memory)
    let lists = (0..<100).map { number in
      let ages = [number, number - 10]
      return #Predicate<Person> { ages.contains($0.age) }
    }
    try world.check(.any(lists), inMemory: true)
    try world.check(.all(lists.map { $0.negated }), inMemory: true)
    let ages = (0...QueryTree.mostValues).map { isAged($0 + 4) }
    #expect(try world.obstacles(to: .all(ages)).count == 1)
    #expect(try !world.obstacles(to: .any(ages)).isEmpty)
    #expect(try world.context.fetchCount(FetchDescriptor(predicate: .any(ages))) == 7)
  }

  @Test("calculations that fail have the same result in memory and in the store", arguments: Engine.allCases)
  func unknown(_ engine: Engine) throws {
    let world = try World(engine)
    let zero = 0
    let isUnknown = #Predicate<Person> { $0.age / zero == 0 }
    let predicates: [(Predicate<Person>, Int)] = [
      (.any([isUnknown, isActive]), 5), (.all([isUnknown, isActive]), 0), (isUnknown.negated, 0),
      (.all([isUnknown, isActive.negated]).negated, 5), (.any([isActive, isUnknown]).negated, 0),
    ]
    for (number, (predicate, count)) in predicates.enumerated() {
      #expect(try world.store.context().fetchCount(FetchDescriptor(predicate: predicate)) == count, "saved \(number)")
      let pending = world.store.context()
      for person in try pending.fetch(FetchDescriptor<Person>()) { person.small += 0 }
      for person in try pending.fetch(FetchDescriptor<Person>()) { person.score = 7 }
      #expect(try pending.fetchCount(FetchDescriptor(predicate: predicate)) == count, "pending \(number)")
    }
  }

  @Test(
    "compare models by identity, including unsaved and deleted ones", arguments: Engine.allCases)
  func models(_ engine: Engine) throws {
    let world = try World(engine)
    let context = world.store.context()
    let people = try context.fetch(FetchDescriptor<Person>(sortBy: [SortDescriptor(\.age)]))
    let ids = people.prefix(3).map(\.persistentModelID)
    let chosen = Predicate<Person>.any(ids.map { id in #Predicate { $0.persistentModelID == id } })
    try world.check(chosen, matches: 3)
    let bosses = world.store.context()
    let bossIDs = try bosses.fetch(FetchDescriptor<Person>()).filter { !$0.reports.isEmpty }.map(\.persistentModelID)
    let reports = Predicate<Person>.any(bossIDs.map { id in #Predicate { $0.boss?.persistentModelID == id } })
    try world.check(reports, matches: 3)
    let inGreen = Predicate<Person>.any([isAged(1_000), #Predicate { $0.team?.name == "Green" }])
    #expect(try context.fetchCount(FetchDescriptor(predicate: inGreen)) == 0)
    try #require(try context.fetch(FetchDescriptor<Team>()).first).name = "Green"
    people[8].age = 1_000
    #expect(try context.fetchCount(FetchDescriptor(predicate: inGreen)) == 4)
    try context.delete(model: Person.self, where: .all([chosen, isOld.negated]))
    try context.save()
    // One of the three chosen people is older than 3 and is not deleted.
    #expect(try world.store.context().fetchCount(FetchDescriptor(predicate: chosen)) == 1)
  }

  @Test("combined predicates may have several inputs")
  func inputs() throws {
    let first = #Predicate<Int, String> { number, text in number > 3 && text == "x" }
    let second = #Predicate<Int, String> { number, _ in number < 9 }
    let both = Predicate<Int, String>.all([first, second])
    #expect(try both.evaluate(5, "x") && !both.evaluate(5, "y") && !both.evaluate(10, "x"))
    let either = Predicate.any([both, second.negated])
    #expect(try either.evaluate(10, "y") && either.evaluate(4, "x") && !either.evaluate(4, "y"))
    #expect(try Predicate<Int, String>.all([]).evaluate(1, "") && !Predicate<Int, String>.any([]).evaluate(1, ""))
    #expect(!both.debugDescription.isEmpty)
  }

  @Test(
    "a combined predicate can be part of a predicate, built without the macro, on a related model",
    arguments: Engine.allCases)
  func evaluated(_ engine: Engine) throws {
    let world = try World(engine)
    let either = Predicate<Person>.any([isOld, isActive])
    let ofReports = Predicate<Person> { person in
      Erased(
        PredicateExpressions.build_contains(
          PredicateExpressions.build_KeyPath(root: person, keyPath: \.reports)
        ) { report in
          PredicateExpressions.PredicateEvaluate(predicate: PredicateExpressions.build_Arg(either), input: report)
        }, "reports")
    }
    try world.check(
      ofReports,
      becomes:
        #"EXISTS (SELECT 1 FROM "Person" AS t1 WHERE t1."boss" = "Person"."_osd_key" AND (t1."age" > ?1 OR t1."isActive" = 1))"#
    )
  }

  @Test("the check for encrypted properties gets all key paths of a combined predicate")
  func keyPaths() {
    let combined = Predicate<Person>.any([isOld, .all([isActive, isRed]).negated])
    let found = Set(PredicateKeyPaths.all(in: combined))
    #expect(found.isSuperset(of: [\Person.age, \Person.isActive, \Person.team] as Set<AnyKeyPath>))
  }

  // MARK: Templates

  @Test("the parts of combined predicates are translated once")
  func templates() throws {
    let entity = try entity()
    func range(_ lower: Int, _ upper: Int) -> Predicate<Person> { #Predicate { $0.age >= lower && $0.age < upper } }
    func isRemembered(_ predicate: Predicate<Person>) -> Bool {
      if case .tree = PredicateTranslator.memory(of: predicate, entity: entity) { return true }
      return false
    }
    for combine in [Predicate<Person>.all, Predicate<Person>.any] {
      #expect(!isRemembered(combine([range(1, 2), isActive])))
      let fresh = try self.entity()
      let once = try PredicateTranslator.translate(combine([range(1, 2), isActive]), entity: entity)
      #expect(isRemembered(range(3, 4)) && isRemembered(isActive))
      let again = try PredicateTranslator.translate(combine([range(1, 2), isActive]), entity: entity)
      let other = try PredicateTranslator.translate(combine([range(5, 6), isActive]), entity: entity)
      let first = try PredicateTranslator.translate(combine([range(5, 6), isActive]), entity: fresh)
      #expect(once.nodes == again.nodes && once.values == again.values)
      #expect(other.nodes == first.nodes && other.values == first.values)
    }
  }

  private func entity() throws -> EntityLayout {
    let layouts = try EntityLayout.layouts(of: Schema([Person.self]))
    return try #require(layouts.first { $0.modelType == Person.self })
  }
}
