import ConformanceSupport
import SwiftData
import Testing

@testable import PersistenceContext
@testable import PersistenceQueries
@testable import PersistenceRuntime

@Suite("Predicates that the store evaluates in part")
struct RemainderTests {
  @Test("translatable parts are evaluated in the store, and the other parts in memory", arguments: Engine.allCases)
  func parts(_ engine: Engine) throws {
    let world = try World(engine)
    try world.check(#Predicate<Person> { $0.age > 0 && $0.name.hashValue != 0 && $0.isActive }, inMemory: true)
    try world.check(#Predicate<Person> { $0.tags.filter { $0 == "red" } != [] && $0.age > -4 }, inMemory: true)
    try world.check(#Predicate<Person> { $0.name.hashValue == 0 || $0.isActive }, inMemory: true)
    let predicate = #Predicate<Person> { $0.isActive && $0.name.hashValue != 0 && $0.age > 0 }
    let map = try world.store.context().requireIdentityMap(for: Person.self)
    let plan = try FetchPlan(FetchDescriptor(predicate: predicate), in: map)
    guard case .matching(let tree) = plan.request.selection else {
      Issue.record("nothing was put to the store")
      return
    }
    #expect(tree.nodes.last == .and && tree.values == [.integer(0)])
  }

  @Test("a calculation that overflows matches nothing and does not throw", arguments: Engine.allCases)
  func overflow(_ engine: Engine) throws {
    let world = try World(engine)
    let (most, zero, deepest, one) = (Int.max, 0, Int8.min, UInt64(1))
    let predicates: [(Predicate<Person>, Int)] = [
      (#Predicate<Person> { $0.age + most > 0 }, 2), (#Predicate<Person> { $0.age * most == 0 }, 0),
      (#Predicate<Person> { $0.age / zero == 0 }, 0), (#Predicate<Person> { $0.age % zero == 0 }, 0),
      (#Predicate<Person> { $0.small + 100 > 0 }, 3), (#Predicate<Person> { -($0.small - $0.small + deepest) > 0 }, 0),
      (#Predicate<Person> { $0.big - one > 0 }, 8), (#Predicate<Person> { $0.age / zero == 0 || $0.isActive }, 5),
      (#Predicate<Person> { !($0.age / zero == 0) }, 0), (#Predicate<Person> { $0.nickname!.count > 4 }, 3),
    ]
    for (number, (predicate, count)) in predicates.enumerated() {
      #expect(try world.store.context().fetchCount(FetchDescriptor(predicate: predicate)) == count, "saved \(number)")
      let pending = world.store.context()
      for person in try pending.fetch(FetchDescriptor<Person>()) { person.isActive.toggle() }
      for person in try pending.fetch(FetchDescriptor<Person>()) { person.isActive.toggle() }
      #expect(try pending.fetch(FetchDescriptor(predicate: predicate)).count == count, "pending \(number)")
    }
  }

  @Test("unsaved changes of related models are included", arguments: Engine.allCases)
  func pending(_ engine: Engine) throws {
    let world = try World(engine)
    let context = world.store.context()
    let inGreen = #Predicate<Person> { $0.team?.name == "Green" }
    let hasBig = #Predicate<Team> { $0.projects?.contains { $0.effort > 50 } ?? false }
    #expect(try context.fetchCount(FetchDescriptor(predicate: inGreen)) == 0)
    let red = try #require(try context.fetch(FetchDescriptor<Team>()).first)
    red.name = "Green"
    let project = try #require(try context.fetch(FetchDescriptor<Project>()).first)
    project.effort = 99
    #expect(try context.fetch(FetchDescriptor(predicate: inGreen)).count == 3)
    #expect(try context.fetchCount(FetchDescriptor(predicate: hasBig)) == 1)
    #expect(try context.fetchIdentifiers(FetchDescriptor(predicate: inGreen)).count == 3)
    var saved = FetchDescriptor(predicate: inGreen)
    saved.includePendingChanges = false
    #expect(try context.fetchCount(saved) == 0)
    try context.save()
    #expect(try world.store.context().fetchCount(FetchDescriptor(predicate: inGreen)) == 3)
  }

  @Test("a batch deletion with a predicate evaluated in memory deletes its matches", arguments: Engine.allCases)
  func deletion(_ engine: Engine) throws {
    let world = try World(engine)
    let context = world.store.context()
    try context.delete(model: Desk.self, where: #Predicate { $0.number > 7 && $0.number.hashValue != 0 })
    try context.delete(model: Desk.self, where: #Predicate { $0.user.name == "nobody" })
    try context.save()
    #expect(try world.store.context().fetch(FetchDescriptor<Desk>()).map(\.number) == [7])
  }

  @Test("predicates in generic code over a protocol are evaluated", arguments: Engine.allCases)
  func generic(_ engine: Engine) throws {
    let world = try World(engine)
    func named<Model: Named>(_ name: String, _ type: Model.Type) throws -> Int {
      try world.store.context().fetchCount(FetchDescriptor<Model>(predicate: #Predicate { $0.name == name }))
    }
    #expect(try named("Red", Team.self) == 1)
    #expect(try named("Bob", Person.self) == 1)
  }

  @Test("predicates and expressions that a predicate evaluates are part of the query", arguments: Engine.allCases)
  func nested(_ engine: Engine) throws {
    let world = try World(engine)
    let isOld = #Predicate<Person> { $0.age > 3 }
    let isRed = #Predicate<Person> { $0.team?.name == "Red" }
    let reports = #Expression<Person, Int> { $0.reports.count }
    let both = Predicate<Person> { person in
      Erased(
        PredicateExpressions.build_Conjunction(
          lhs: PredicateExpressions.build_evaluate(PredicateExpressions.build_Arg(isOld), person),
          rhs: PredicateExpressions.build_evaluate(PredicateExpressions.build_Arg(isRed), person)), "both")
    }
    let leads = Predicate<Person> { person in
      Erased(
        PredicateExpressions.build_Comparison(
          lhs: PredicateExpressions.build_evaluate(PredicateExpressions.build_Arg(reports), person),
          rhs: PredicateExpressions.build_Arg(0), op: .greaterThan), "leads")
    }
    try world.check(both, matches: 1)
    try world.check(leads, matches: 2)
    try world.check(#Predicate<Person> { _ in true }, matches: 9)
    try world.check(#Predicate<Person> { _ in false }, matches: 0)
  }
}
