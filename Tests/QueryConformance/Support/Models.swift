import SwiftData

enum Level: String, Codable, CaseIterable, Sendable {
  case low, middle, high
}

/// An enum whose order differs from the order of its raw values.
enum Rank: Int, Codable, CaseIterable, Comparable, Sendable {
  case first = 3
  case second = 2
  case third = 1

  static func < (lhs: Rank, rhs: Rank) -> Bool { lhs.rawValue > rhs.rawValue }
}

struct Address: Codable, Hashable, Sendable {
  var city: String
  var zip: Int
}

/// An enum with associated values, which is stored as JSON.
enum Contact: Codable, Hashable, Sendable {
  case mail(String)
  case none
}

protocol Named: PersistentModel {
  var name: String { get }
}

/// A model that is Codable, so that predicates can capture it.
@Model
final class Team: Named, Codable {
  var name: String
  var city: String?
  @Relationship(inverse: \Person.team) var members: [Person] = []
  @Relationship(inverse: \Project.owner) var projects: [Project]? = []
  var lead: Person?

  init(_ name: String, city: String? = nil) {
    self.name = name
    self.city = city
  }

  convenience init(from decoder: any Decoder) throws {
    self.init(try decoder.singleValueContainer().decode(String.self))
  }

  func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(name)
  }
}

@Model
final class Person: Named {
  #Index<Person>([\.name], [\.age], [\.nickname])
  var name: String
  var nickname: String?
  var age: Int
  var small: Int8
  var big: UInt64
  var score: Double
  var rating: Double?
  var ratio: Float
  var price: Decimal
  var born: Date
  var token: UUID
  var link: URL?
  var blob: Data
  var isActive: Bool
  var level: Level
  var rank: Rank?
  var tags: [String]
  var marks: [Int]
  var weights: [Double]
  var notes: [String: Int]
  var aliases: [String]?
  var address: Address
  var former: Address?
  var contact: Contact
  var team: Team?
  var boss: Person?
  @Relationship(inverse: \Person.boss) var reports: [Person] = []
  @Relationship(inverse: \Project.people) var projects: [Project] = []
  @Relationship(inverse: nil) var likes: [Project] = []
  @Relationship(inverse: \Animal.keeper) var pets: [Animal] = []
  @Relationship(inverse: \Desk.user) var desk: Desk?

  init(_ name: String, age: Int = 0) {
    self.name = name
    self.age = age
    self.nickname = nil
    self.small = 0
    self.big = 0
    self.score = 0
    self.rating = nil
    self.ratio = 0
    self.price = 0
    self.born = Date(timeIntervalSinceReferenceDate: 0)
    self.token = UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0))
    self.link = nil
    self.blob = Data()
    self.isActive = false
    self.level = .low
    self.rank = nil
    self.tags = []
    self.marks = []
    self.weights = []
    self.notes = [:]
    self.aliases = nil
    self.address = Address(city: "", zip: 0)
    self.former = nil
    self.contact = .none
  }
}

@Model
final class Project: Codable {
  var title: String
  var effort: Int
  var owner: Team?
  var people: [Person] = []

  init(_ title: String, effort: Int = 0) {
    self.title = title
    self.effort = effort
  }

  convenience init(from decoder: any Decoder) throws {
    self.init(try decoder.singleValueContainer().decode(String.self))
  }

  func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(title)
  }
}

@Model
class Animal {
  var name: String
  var keeper: Person?

  init(_ name: String) { self.name = name }
}

@Model
final class Dog: Animal {
  var tricks: Int = 0
  var friend: Animal?

  init(_ name: String, tricks: Int) {
    super.init(name)
    self.tricks = tricks
  }
}

@Model
final class Cat: Animal {
  var lives: Int = 9

  init(_ name: String, lives: Int) {
    super.init(name)
    self.lives = lives
  }
}

@Model
final class Desk {
  var number: Int
  var user: Person

  init(_ number: Int, user: Person) {
    self.number = number
    self.user = user
  }
}

let allModels: [any PersistentModel.Type] = [
  Team.self, Person.self, Project.self, Animal.self, Dog.self, Cat.self, Desk.self,
]
