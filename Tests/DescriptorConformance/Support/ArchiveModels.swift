import SwiftData

let archiveModels: [any PersistentModel.Type] = [Author.self, Agency.self, Text.self, Passport.self]

/// An enum whose `<` operator follows the order of the cases, which differs from the order of raw values and of names.
enum Importance: String, Codable, Comparable, CaseIterable {
  case low, middle, high

  static func < (lhs: Importance, rhs: Importance) -> Bool {
    (allCases.firstIndex(of: lhs) ?? 0) < (allCases.firstIndex(of: rhs) ?? 0)
  }
}

/// An enum whose `<` operator compares the raw values.
enum Stage: Int, Codable, Comparable, CaseIterable {
  case draft = 1
  case final = 5

  static func < (lhs: Stage, rhs: Stage) -> Bool { lhs.rawValue < rhs.rawValue }
}

struct Place: Codable, Hashable {
  var city: String
  var floor: Int?
}

@Model
final class Agency {
  var name: String
  var isOpen: Bool?
  @Relationship(inverse: \Author.agency) var authors: [Author] = []

  init(_ name: String, isOpen: Bool? = nil) {
    self.name = name
    self.isOpen = isOpen
  }
}

@Model
final class Passport {
  var number: Int
  @Relationship(inverse: \Author.passport) var owner: Author?

  init(_ number: Int) {
    self.number = number
  }
}

@Model
final class Author {
  var name: String
  var born: Date?
  var home: Place?
  var agency: Agency?
  var passport: Passport?
  @Relationship(inverse: \Text.author) var texts: [Text] = []
  var mentor: Author?

  init(_ name: String, born: Date? = nil, home: Place? = nil, agency: Agency? = nil) {
    self.name = name
    self.born = born
    self.home = home
    self.agency = agency
  }
}

@Model
final class Text {
  #Index<Text>([\.title], [\.pages])

  var title: String
  var subtitle: String?
  var pages: Int
  var price: Decimal
  var rating: Double?
  var isRead: Bool
  var isLent: Bool?
  var importance: Importance
  var urgency: Importance?
  var stage: Stage
  var shelf: Place
  var code: UUID
  var large: UInt64
  var author: Author?

  init(
    _ title: String, subtitle: String? = nil, pages: Int = 0, price: Decimal = 0, rating: Double? = nil,
    isRead: Bool = false, isLent: Bool? = nil, importance: Importance = .low, urgency: Importance? = nil,
    stage: Stage = .draft, shelf: Place = Place(city: ""), code: UUID = UUID(), large: UInt64 = 0,
    author: Author? = nil
  ) {
    self.title = title
    self.subtitle = subtitle
    self.pages = pages
    self.price = price
    self.rating = rating
    self.isRead = isRead
    self.isLent = isLent
    self.importance = importance
    self.urgency = urgency
    self.stage = stage
    self.shelf = shelf
    self.code = code
    self.large = large
    self.author = author
  }
}

extension TestStore {
  /// Creates a store for texts and their authors.
  convenience init(_ engine: Engine) throws { try self.init(engine, archiveModels) }
}
