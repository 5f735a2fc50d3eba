import SwiftData

let libraryModels: [any PersistentModel.Type] = [Book.self, Loan.self, Note.self]

enum Genre: String, Codable, CaseIterable {
  case novel, poetry, science
}

enum Shelf: Int, Codable, Comparable, CaseIterable {
  case low = 1
  case middle
  case high

  static func < (lhs: Shelf, rhs: Shelf) -> Bool { lhs.rawValue < rhs.rawValue }
}

/// An enum whose order is that of its declaration, which differs from the order of the raw values.
enum Size: String, Codable, Comparable, CaseIterable {
  case small, medium, large

  static func < (lhs: Size, rhs: Size) -> Bool {
    allCases.firstIndex(of: lhs)! < allCases.firstIndex(of: rhs)!
  }
}

@Model
final class Book {
  var title: String
  var pages: Int
  var rating: Double?
  var subtitle: String?
  var isRead: Bool
  var genre: Genre
  var shelf: Shelf
  var size: Size
  var published: Date

  init(
    _ title: String, pages: Int = 100, rating: Double? = nil, subtitle: String? = nil, isRead: Bool = false,
    genre: Genre = .novel, shelf: Shelf = .low, size: Size = .small, published: Date = Date(timeIntervalSince1970: 0)
  ) {
    self.title = title
    self.pages = pages
    self.rating = rating
    self.subtitle = subtitle
    self.isRead = isRead
    self.genre = genre
    self.shelf = shelf
    self.size = size
    self.published = published
  }
}

@Model
final class Loan {
  var reader: String
  var book: Book?

  init(reader: String, book: Book? = nil) {
    self.reader = reader
    self.book = book
  }
}

/// A value whose encoding throws if it is `wet`, so that a save with such a value fails.
enum Ink: Codable, Equatable {
  case dry(String)
  case wet

  init(from decoder: any Decoder) throws {
    self = .dry(try decoder.singleValueContainer().decode(String.self))
  }

  func encode(to encoder: any Encoder) throws {
    guard case .dry(let text) = self else { throw Failure() }
    var container = encoder.singleValueContainer()
    try container.encode(text)
  }
}

/// A model that can be saved only if its ink is dry.
@Model
final class Note {
  var number: Int
  var ink: Ink

  init(_ number: Int, ink: Ink) {
    self.number = number
    self.ink = ink
  }
}

/// A model that is not in the schemas of these tests.
@Model
final class UnlistedModel {
  var name: String

  init(name: String) {
    self.name = name
  }
}

/// A model with a unique value.
@Model
final class Card {
  @Attribute(.unique) var number: Int
  var holder: String

  init(number: Int, holder: String) {
    self.number = number
    self.holder = holder
  }
}
