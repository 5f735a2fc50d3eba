import OpenSwiftData
import Testing

@Model @ModelValue final class Club {
  var name: String
  var city: String?
  var rank: Int
  var notes: String
  @Relationship(deleteRule: .cascade, inverse: \Footballer.club) var footballers: [Footballer] = []
  @Relationship(inverse: \Patron.clubs) var patrons: [Patron] = []

  init(_ name: String, city: String? = nil, rank: Int = 0, notes: String = "") {
    self.name = name
    self.city = city
    self.rank = rank
    self.notes = notes
  }

  /// A computed property. It has no column, so a sort by it happens in memory.
  var initial: String { String(name.prefix(1)) }
}

@Model @ModelValue final class Footballer {
  var name: String
  var goals: Int
  var club: Club?

  init(_ name: String, goals: Int = 0, club: Club? = nil) {
    self.name = name
    self.goals = goals
    self.club = club
  }
}

@Model final class Patron {
  @Attribute(.unique) var name: String
  var budget: Int
  var clubs: [Club] = []

  init(_ name: String, budget: Int = 0) {
    self.name = name
    self.budget = budget
  }
}

/// A model that is missing in the schema of the club stores.
@Model final class Stranger {
  var name: String

  init(name: String) { self.name = name }
}

let clubModels: [any PersistentModel.Type] = [Club.self, Footballer.self, Patron.self]

extension TestStore {
  /// Creates a store for clubs, footballers and patrons, with clubs of the given names.
  static func clubs(_ engine: Engine, _ names: String...) throws -> TestStore {
    let store = try TestStore(engine, clubModels)
    try store.addClubs(names)
    return store
  }

  func addClubs(_ names: [String]) throws {
    let context = context()
    for (index, name) in names.enumerated() { context.insert(Club(name, rank: index)) }
    try context.save()
  }
}

extension ModelContext {
  func club(_ name: String) throws -> Club {
    try #require(try fetch(FetchDescriptor<Club>(predicate: #Predicate { $0.name == name })).first)
  }
}

extension ResultsObserver where Element == Club {
  var names: [String] { results.map(\.name) }
}
