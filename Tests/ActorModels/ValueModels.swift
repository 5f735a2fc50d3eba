import OpenSwiftData

let valueModels: [any PersistentModel.Type] = [
  Book.self, Writer.self, Chapter.self, Licence.self, Medium.self, Film.self, Shelfmark.self, Leaf.self,
]

@Model
@ModelValue(leavingOut: "draft")
final class Book {
  #Index<Book>([\.pages])
  @Attribute(.unique) var title: String
  var pages: Int = 0
  var price: Decimal
  var published: Date
  var genre: Genre = Genre.novel
  var edition: Edition?
  var size: Size
  var tags: [String] = []
  var scores: [String: Int] = [:]
  @Attribute(.externalStorage) var cover: Data?
  var writer: Writer?
  @Relationship(deleteRule: .cascade, inverse: \Chapter.book) var chapters: [Chapter] = []
  @Relationship(inverse: \Licence.book) var licence: Licence?
  @Relationship(inverse: nil) var media: [Medium]? = []
  @Relationship(inverse: nil) var medium: Medium?
  var reader: PersistentIdentifier?
  let code: Int
  var draft: Handwriting = Handwriting("")
  @Transient var isOpen = false
  private var secret = "secret"

  init(_ title: String, pages: Int = 0, code: Int = 0, writer: Writer? = nil) {
    self.title = title
    self.pages = pages
    self.price = Decimal(pages) / 8
    self.published = Date(timeIntervalSinceReferenceDate: Double(pages))
    self.size = Size(width: pages, height: 2, depth: nil)
    self.code = code
    self.writer = writer
  }
}

enum Genre: String, Codable {
  case novel, poem
}

enum Edition: Int, Codable {
  case first = 1
  case second
}

struct Size: Codable, Hashable {
  var width: Int
  var height: Int
  var depth: Int?
}

/// A Codable value that is not Hashable.
struct Handwriting: Codable {
  var text: String

  init(_ text: String) { self.text = text }
}

/// A model that is also Codable.
@Model
@ModelValue
final class Writer: Codable {
  var id: UUID
  var name: String
  var books: [Book]

  init(_ name: String) {
    self.id = UUID()
    self.name = name
    self.books = []
  }

  init(from decoder: any Decoder) throws {
    id = UUID()
    name = try decoder.singleValueContainer().decode(String.self)
    books = []
  }

  func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(name)
  }
}

@Model
@ModelValue
final class Chapter {
  var heading: String
  var book: Book?

  init(_ heading: String) {
    self.heading = heading
  }
}

@Model
@ModelValue
final class Licence {
  var number: Int
  var book: Book?

  init(_ number: Int) {
    self.number = number
  }
}

@Model
@ModelValue
class Medium {
  var name: String

  init(_ name: String) {
    self.name = name
  }
}

@Model
final class Film: Medium {
  var minutes: Int

  init(_ name: String, minutes: Int) {
    self.minutes = minutes
    super.init(name)
  }
}

/// A model that is isolated to the main actor.
@Model
@ModelValue
@MainActor
final class Shelfmark {
  var text: String
  var count: Int = 3

  init(_ text: String) {
    self.text = text
  }
}

/// A model that is an actor.
@Model
@ModelValue
actor Leaf {
  let code: Int
  var text: String
  var next: Leaf?
  private var secret: String = "x"
}
