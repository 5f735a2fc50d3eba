import ConformanceSupport
import SwiftData
import Testing

@Suite("Predicates over relationships")
struct RelationshipPredicateTests {
  @Test("a to-one path of any depth is a join", arguments: Engine.allCases)
  func paths(_ engine: Engine) throws {
    let world = try World(engine)
    let city = "Bonn"
    try world.check(#Predicate<Person> { $0.team?.name == "Red" }, matches: 3)
    try world.check(#Predicate<Person> { $0.team?.name != "Red" }, matches: 6)
    try world.check(#Predicate<Person> { $0.team?.city == city }, matches: 3)
    try world.check(#Predicate<Person> { $0.team?.city == nil })
    try world.check(#Predicate<Person> { $0.boss?.boss?.team?.name == "Red" }, matches: 1)
    try world.check(#Predicate<Person> { $0.boss?.boss?.boss?.name == "Ada" }, matches: 0)
    try world.check(#Predicate<Person> { ($0.boss?.age ?? 5) > 0 })
    try world.check(#Predicate<Person> { $0.boss!.age < 0 }, matches: 3)
    try world.check(#Predicate<Desk> { $0.user.name == "Bob" }, matches: 1)
    try world.check(#Predicate<Desk> { $0.user.team?.name == "Red" }, matches: 1)
    try world.check(#Predicate<Person> { ($0.team?.lead?.name ?? "-") == $0.name }, matches: 1)
  }

  @Test("the end of a one-to-one relationship that has no column can be followed", arguments: Engine.allCases)
  func inverseColumn(_ engine: Engine) throws {
    let world = try World(engine)
    try world.check(#Predicate<Person> { $0.desk == nil }, matches: 7)
    try world.check(#Predicate<Person> { $0.desk != nil }, matches: 2)
    try world.check(#Predicate<Person> { $0.desk?.number == 7 }, matches: 1)
    try world.check(#Predicate<Person> { $0.boss?.desk?.number == 7 }, matches: 0)
    try world.check(#Predicate<Person> { ($0.desk?.number ?? 0) < 8 }, matches: 8)
  }

  @Test("comparisons with nil and tests of presence need no join", arguments: Engine.allCases)
  func presence(_ engine: Engine) throws {
    let world = try World(engine)
    try world.check(#Predicate<Person> { $0.team == nil }, matches: 5)
    try world.check(#Predicate<Person> { $0.team != nil }, matches: 4)
    try world.check(#Predicate<Person> { $0.team?.lead == nil }, matches: 6)
    try world.check(#Predicate<Person> { if let team = $0.team { team.name == "Red" } else { true } }, matches: 8)
    try world.check(#Predicate<Person> { $0.team.flatMap { $0.city } == nil }, matches: 6)
    try world.check(#Predicate<Person> { ($0.team.flatMap { $0.name == "Red" } ?? true) == true }, matches: 8)
    try world.check(#Predicate<Person> { ($0.team.flatMap { $0.name == "Red" } ?? false) == false }, matches: 6)
  }

  @Test("models and identifiers are compared by their rows", arguments: Engine.allCases)
  func models(_ engine: Engine) throws {
    let world = try World(engine)
    let red = try #require(try world.context.fetch(FetchDescriptor<Team>()).first)
    let ada = try #require(try world.context.fetch(FetchDescriptor<Person>()).first)
    let (teamID, adaID) = (red.persistentModelID, ada.persistentModelID)
    let teams = [teamID]
    try world.check(#Predicate<Person> { $0.team?.persistentModelID == teamID }, matches: 3)
    try world.check(#Predicate<Person> { $0.team?.id == teamID }, matches: 3)
    try world.check(#Predicate<Person> { $0.boss?.persistentModelID == adaID }, matches: 2)
    try world.check(#Predicate<Person> { $0.boss?.persistentModelID == teamID }, matches: 0)
    try world.check(#Predicate<Person> { $0.persistentModelID == adaID }, matches: 1)
    try world.check(#Predicate<Person> { adaID == $0.persistentModelID }, matches: 1)
    try world.check(#Predicate<Person> { $0.persistentModelID != teamID }, matches: 9)
    try world.check(#Predicate<Person> { $0.team?.lead?.persistentModelID == adaID }, matches: 3)
    try world.check(#Predicate<Team> { teams.contains($0.persistentModelID) }, matches: 1)
    try world.check(#Predicate<Person> { teams.contains($0.persistentModelID) }, matches: 0)
    try world.check(#Predicate<Person> { $0.team?.lead == $0.boss }, matches: 7)
  }

  @Test("a captured model is compared by its row", arguments: Engine.allCases)
  func capturedModels(_ engine: Engine) throws {
    let world = try World(engine)
    let red = try #require(try world.context.fetch(FetchDescriptor<Team>()).first)
    let none: Team? = nil
    try world.check(#Predicate<Person> { $0.team == red }, matches: 3)
    try world.check(#Predicate<Person> { $0.team != red }, matches: 6)
    try world.check(#Predicate<Person> { $0.team == none }, matches: 5)
    try world.check(#Predicate<Person> { $0.boss?.team == red }, matches: 3)
    try world.check(#Predicate<Team> { $0 == red }, matches: 1)
    try world.check(#Predicate<Project> { $0.owner == red && $0.effort > 3 }, matches: 1)
  }

  @Test("a captured model is found among the members by its key", arguments: Engine.allCases)
  func contained(_ engine: Engine) throws {
    let world = try World(engine)
    let projects = try world.context.fetch(FetchDescriptor<Project>())
    let (bridge, tunnel) = (projects[0], projects[2])
    try world.check(#Predicate<Team> { $0.projects?.contains(bridge) == true }, matches: 1)
    try world.check(#Predicate<Person> { $0.projects.contains(bridge) }, matches: 1)
    try world.check(#Predicate<Person> { !$0.projects.contains(bridge) }, matches: 8)
    try world.check(#Predicate<Person> { $0.likes.contains(tunnel) }, matches: 2)
    try world.check(#Predicate<Person> { $0.boss?.likes.contains(tunnel) == true }, matches: 2)
    try world.check(#Predicate<Team> { $0.projects?.contains(tunnel) == false }, matches: 3)
    try world.check(#Predicate<Person> { $0.team?.projects?.contains(bridge) ?? false }, matches: 3)
  }

  @Test("a condition on members is a subquery", arguments: Engine.allCases)
  func members(_ engine: Engine) throws {
    let world = try World(engine)
    let (age, low) = (0, -5)
    try world.check(#Predicate<Team> { $0.members.contains { $0.age > age } }, matches: 2)
    try world.check(#Predicate<Team> { $0.members.contains { $0.name == "Bob" } }, matches: 1)
    try world.check(#Predicate<Team> { $0.members.allSatisfy { $0.age < 5 } }, matches: 2)
    try world.check(#Predicate<Team> { $0.members.isEmpty }, matches: 1)
    try world.check(#Predicate<Team> { $0.members.isEmpty == false }, matches: 2)
    try world.check(#Predicate<Team> { !$0.members.isEmpty }, matches: 2)
    try world.check(#Predicate<Team> { $0.members.count == 3 }, matches: 1)
    try world.check(#Predicate<Team> { $0.members.filter { $0.age > low }.count >= 2 }, matches: 1)
    try world.check(#Predicate<Team> { $0.members.filter { $0.age > low }.filter { $0.age < age }.isEmpty }, matches: 2)
    try world.check(#Predicate<Team> { $0.members.filter { $0.age > low }.contains { $0.name == "ada" } }, matches: 1)
    try world.check(#Predicate<Team> { $0.members.filter { $0.age > 100 }.isEmpty }, matches: 3)
  }

  @Test("optional to-many relationships can be queried", arguments: Engine.allCases)
  func optionalMembers(_ engine: Engine) throws {
    let world = try World(engine)
    try world.check(#Predicate<Team> { $0.projects?.isEmpty == true }, matches: 2)
    try world.check(#Predicate<Team> { $0.projects?.contains { $0.effort > 5 } ?? false }, matches: 1)
    try world.check(#Predicate<Team> { ($0.projects?.count ?? 0) == 2 }, matches: 1)
    try world.check(#Predicate<Team> { $0.projects!.allSatisfy { $0.effort > 0 } }, matches: 3)
    try world.check(#Predicate<Team> { $0.projects?.filter { $0.effort > 5 }.count == 1 }, matches: 1)
    try world.check(#Predicate<Person> { $0.team?.projects?.contains { $0.title == "Road" } == true }, matches: 3)
    try world.check(#Predicate<Person> { $0.team?.projects?.isEmpty ?? true }, matches: 6)
  }

  @Test("subqueries can be nested, and refer to the outer row", arguments: Engine.allCases)
  func nested(_ engine: Engine) throws {
    let world = try World(engine)
    try world.check(#Predicate<Team> { $0.members.contains { $0.projects.contains { $0.effort > 5 } } }, matches: 2)
    try world.check(
      #Predicate<Team> { team in team.members.contains { $0.name == (team.lead?.name ?? "-") } }, matches: 1)
    try world.check(
      #Predicate<Team> { team in team.members.contains { a in team.members.contains { b in (a.boss ?? a) == b } } },
      matches: 1)
    try world.check(#Predicate<Person> { person in person.reports.contains { $0.age > person.age } }, matches: 2)
    try world.check(
      #Predicate<Person> { $0.reports.contains { $0.reports.allSatisfy { $0.team?.name == "Blue" } } }, matches: 2)
    try world.check(#Predicate<Project> { $0.people.filter { $0.pets.count > 1 }.count == 1 }, matches: 2)
  }

  @Test("many-to-many and one-way relationships are followed through their join tables", arguments: Engine.allCases)
  func pairs(_ engine: Engine) throws {
    let world = try World(engine)
    try world.check(#Predicate<Person> { $0.projects.contains { $0.title == "Road" } }, matches: 2)
    try world.check(#Predicate<Project> { $0.people.contains { $0.name == "Ada" } }, matches: 2)
    try world.check(#Predicate<Project> { $0.people.isEmpty }, matches: 1)
    try world.check(#Predicate<Person> { $0.projects.count == 2 }, matches: 1)
    try world.check(#Predicate<Person> { $0.likes.contains { $0.effort == 0 } }, matches: 2)
    try world.check(#Predicate<Person> { $0.likes.count > 1 }, matches: 1)
    try world.check(#Predicate<Person> { $0.boss?.likes.isEmpty == false }, matches: 2)
  }

  @Test("hierarchies are queried by properties and types of subclasses", arguments: Engine.allCases)
  func hierarchies(_ engine: Engine) throws {
    let world = try World(engine)
    try world.check(#Predicate<Person> { $0.pets.contains { $0.name == "Tom" } }, matches: 1)
    try world.check(#Predicate<Person> { $0.pets.contains { $0 is Dog } }, matches: 1)
    try world.check(#Predicate<Person> { $0.pets.contains { ($0 as? Cat)?.lives == 7 } }, matches: 1)
    try world.check(#Predicate<Person> { $0.pets.filter { $0 is Cat }.count == 1 }, matches: 1)
    try world.check(#Predicate<Animal> { $0.keeper?.name == "Ada" }, matches: 2)
    try world.check(#Predicate<Animal> { ($0 as? Dog)?.friend?.name == "Tom" }, matches: 1)
    try world.check(#Predicate<Dog> { $0.friend is Cat }, matches: 1)
    try world.check(#Predicate<Dog> { ($0.friend as? Cat)?.lives == 7 }, matches: 1)
    try world.check(#Predicate<Dog> { $0.keeper?.age != nil && $0.tricks > 1 }, matches: 1)
  }

  @Test("members of composites of related models are columns", arguments: Engine.allCases)
  func composites(_ engine: Engine) throws {
    let world = try World(engine)
    let bonn = Address(city: "Bonn", zip: 0)
    try world.check(#Predicate<Person> { $0.boss?.address.city == "Bonn" }, matches: 2)
    try world.check(#Predicate<Person> { $0.boss?.address == bonn }, matches: 2)
    try world.check(#Predicate<Person> { $0.boss?.former?.zip == 0 }, matches: 2)
    try world.check(#Predicate<Team> { $0.members.contains { $0.address.zip == 2 } }, matches: 1)
  }
}
