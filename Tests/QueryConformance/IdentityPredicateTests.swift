import ConformanceSupport
import SwiftData
import Testing

@testable import PersistenceQueries

@Suite("Models and identifiers in predicates")
struct IdentityPredicateTests {
  @Test("an unsaved model matches no row, but can match pending models", arguments: Engine.allCases)
  func unsaved(_ engine: Engine) throws {
    let world = try World(engine)
    let context = world.store.context()
    let green = Team("Green")
    context.insert(green)
    let (id, ids) = (green.persistentModelID, [green.persistentModelID])
    let predicates = [
      #Predicate<Person> { $0.team == green }, #Predicate<Person> { $0.team?.persistentModelID == id },
      #Predicate<Person> { $0.team.flatMap { ids.contains($0.persistentModelID) } ?? false },
    ]
    for predicate in predicates { #expect(try context.fetch(FetchDescriptor(predicate: predicate)).isEmpty) }
    let ada = try #require(try context.fetch(FetchDescriptor<Person>()).first)
    ada.team = green
    for predicate in predicates {
      #expect(try context.fetch(FetchDescriptor(predicate: predicate)).map(\.name) == ["Ada"])
      #expect(try context.fetchCount(FetchDescriptor(predicate: predicate)) == 1)
      #expect(try world.store.context().fetchCount(FetchDescriptor(predicate: predicate)) == 0)
    }
    #expect(try context.fetch(FetchDescriptor<Team>(predicate: #Predicate { $0 == green })).map(\.name) == ["Green"])
    try context.save()
    for predicate in predicates {
      #expect(try context.fetch(FetchDescriptor(predicate: predicate)).map(\.name) == ["Ada"])
      #expect(try world.store.context().fetchCount(FetchDescriptor(predicate: predicate)) == 1)
    }
  }

  @Test("identifiers may be nil, alone and in lists", arguments: Engine.allCases)
  func optional(_ engine: Engine) throws {
    let world = try World(engine)
    let red = try #require(try world.context.fetch(FetchDescriptor<Team>()).first)
    let none = PersistentIdentifier?.none
    let teams: [Team?] = [red, nil]
    try world.check(#Predicate<Person> { $0.team?.persistentModelID == none }, matches: 5)
    try world.check(#Predicate<Person> { $0.team?.persistentModelID != none }, matches: 4)
    try world.check(#Predicate<Person> { teams.contains($0.team) }, matches: 8)
  }

  @Test("the identifier of an object in another store matches no row", arguments: Engine.allCases)
  func foreign(_ engine: Engine) throws {
    let (world, other) = (try World(engine), try World(engine))
    let red = try #require(try other.context.fetch(FetchDescriptor<Team>()).first)
    let (id, ids) = (red.persistentModelID, [red.persistentModelID])
    try world.check(#Predicate<Person> { $0.team?.persistentModelID == id }, matches: 0)
    try world.check(#Predicate<Team> { $0.persistentModelID != id }, matches: 3)
    try world.check(#Predicate<Team> { ids.contains($0.persistentModelID) }, matches: 0)
  }

  @Test(
    "an identifier bound to a variable is compared as an identifier of its entity at each use",
    arguments: Engine.allCases)
  func bound(_ engine: Engine) throws {
    let world = try World(engine)
    let teams = try world.context.fetch(FetchDescriptor<Team>())
    let (red, blue) = (teams[0].persistentModelID, teams[1].persistentModelID)
    let ada = try #require(try world.context.fetch(FetchDescriptor<Person>()).first).persistentModelID
    try world.check(
      #Predicate<Person> { if let team = $0.team?.persistentModelID { team == red || team == blue } else { false } },
      matches: 4)
    let both = #Predicate<PersistentIdentifier?, PersistentIdentifier> { team, person in
      team == red && person == ada
    }
    try world.check(teamAndPerson(both), matches: 1)
    let either = #Predicate<PersistentIdentifier?, PersistentIdentifier> { team, person in
      person == ada || team == blue
    }
    try world.check(teamAndPerson(either), matches: 2)
  }

  @Test("a captured identifier bound to a variable is resolved at each use", arguments: Engine.allCases)
  func boundConstant(_ engine: Engine) throws {
    let world = try World(engine)
    let blue = try world.context.fetch(FetchDescriptor<Team>())[1].persistentModelID
    let either = #Predicate<PersistentIdentifier, Person> { id, person in
      (person.team.flatMap { $0.persistentModelID == id } ?? false) || person.persistentModelID == id
    }
    let ofBlue = Predicate<Person> { person in
      Erased(
        PredicateExpressions.build_evaluate(
          PredicateExpressions.build_Arg(either), PredicateExpressions.build_Arg(blue), person), "either")
    }
    // Person 2 has the same key as the blue team. This person must not match.
    try world.check(ofBlue, matches: 1)
  }

  @Test(
    "in a list after an identifier without a row, the other identifiers still belong to their own entities",
    arguments: Engine.allCases)
  func listed(_ engine: Engine) throws {
    let world = try World(engine)
    let blue = try world.context.fetch(FetchDescriptor<Team>())[1].persistentModelID
    let green = Team("Green")
    world.context.insert(green)
    let ids = [green.persistentModelID, blue]
    try world.check(#Predicate<Person> { ids.contains($0.persistentModelID) }, matches: 0)
    try world.check(#Predicate<Team> { ids.contains($0.persistentModelID) }, matches: 1)
  }

  /// A predicate on two identifiers: that of a person's team, and that of the person.
  private func teamAndPerson(_ predicate: Predicate<PersistentIdentifier?, PersistentIdentifier>) -> Predicate<Person> {
    Predicate<Person> { person in
      let team = PredicateExpressions.build_flatMap(
        PredicateExpressions.build_KeyPath(root: person, keyPath: \.team)
      ) { team in
        PredicateExpressions.build_KeyPath(root: team, keyPath: \.persistentModelID)
      }
      return Erased(
        PredicateExpressions.build_evaluate(
          PredicateExpressions.build_Arg(predicate), team,
          PredicateExpressions.build_KeyPath(root: person, keyPath: \.persistentModelID)), "teamAndPerson")
    }
  }
}
