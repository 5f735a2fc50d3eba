import ConformanceSupport
import SwiftData
import Testing

/// The same number can be a key of two entities. Here Ada and the red team both have the first key of their entity.
@Suite("Comparisons of identifiers")
struct IdentifierComparisonTests {
  private struct Rows {
    let red: PersistentIdentifier?
    let blue: PersistentIdentifier?
    let ada: PersistentIdentifier?

    init(_ world: World) throws {
      let teams = try world.context.fetch(FetchDescriptor<Team>())
      red = teams[0].persistentModelID
      blue = teams[1].persistentModelID
      ada = try world.context.fetch(FetchDescriptor<Person>()).first?.persistentModelID
    }
  }

  @Test(
    "an identifier is compared as an identifier of its entity, even if the other operand has another entity's keys",
    arguments: Engine.allCases)
  func nested(_ engine: Engine) throws {
    let world = try World(engine)
    let rows = try Rows(world)
    let (red, blue, ada, bosses) = (rows.red, rows.blue, rows.ada, [rows.ada])
    try world.check(
      #Predicate<Person> { person in
        person.team.flatMap { $0.persistentModelID }
          == (person.boss.flatMap { $0.persistentModelID } == ada ? red : blue)
      }, matches: 3)
    try world.check(
      #Predicate<Person> { person in
        person.team.flatMap { $0.persistentModelID }
          == (bosses.contains(person.boss.flatMap { $0.persistentModelID }) ? red : blue)
      }, matches: 3)
  }

  @Test("keys of two different entities are not compared as numbers", arguments: Engine.allCases)
  func twoEntities(_ engine: Engine) throws {
    let world = try World(engine)
    let ada = try Rows(world).ada
    try world.check(
      #Predicate<Person> { $0.team?.persistentModelID == $0.boss?.persistentModelID }, inMemory: true, matches: 5)
    try world.check(
      #Predicate<Person> { person in
        (person.isActive ? person.team.flatMap { $0.persistentModelID } : person.boss.flatMap { $0.persistentModelID })
          == ada
      }, inMemory: true, matches: 1)
    try world.check(
      #Predicate<Person> { person in
        (person.isActive ? person.team.flatMap { $0.persistentModelID } : person.boss.flatMap { $0.persistentModelID })
          == nil
      }, matches: 5)
  }

  @Test("keys of an entity and of its superentity are compared by the store", arguments: Engine.allCases)
  func hierarchy(_ engine: Engine) throws {
    let world = try World(engine)
    try world.check(
      #Predicate<Dog> { dog in
        if let friend = dog.friend { friend.persistentModelID == dog.persistentModelID } else { false }
      }, matches: 0)
  }

  @Test("captured identifiers are compared as values, regardless of the fetched entity", arguments: Engine.allCases)
  func captured(_ engine: Engine) throws {
    let world = try World(engine)
    let rows = try Rows(world)
    let (red, blue, ids) = (rows.red, rows.blue, [rows.blue])
    try world.check(#Predicate<Person> { $0.age > -100 && red == blue }, matches: 0)
    try world.check(#Predicate<Person> { $0.age > -100 && red != blue }, matches: 9)
    try world.check(#Predicate<Person> { $0.age > -100 && ids.contains(red) }, matches: 0)
    try world.check(#Predicate<Person> { $0.age > -100 && ids.contains(blue) }, matches: 9)
    try world.check(#Predicate<Person> { ($0.isActive ? red : blue) == red }, inMemory: true, matches: 5)
    try world.check(#Predicate<Person> { red == nil || $0.team?.persistentModelID == red }, matches: 3)
  }

  @Test("identifiers of two unsaved models differ", arguments: Engine.allCases)
  func unsaved(_ engine: Engine) throws {
    let world = try World(engine)
    let teams = [Team("Green"), Team("White")]
    for team in teams { world.context.insert(team) }
    let (green, white) = (teams[0].persistentModelID, teams[1].persistentModelID)
    try world.check(#Predicate<Person> { $0.age > -100 && green == white }, matches: 0)
  }
}
