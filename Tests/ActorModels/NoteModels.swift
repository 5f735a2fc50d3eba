import SwiftData

let noteModels: [any PersistentModel.Type] = [Note.self, Author.self, Page.self]

@Model
actor Note {
  #Index<Note>([\.stars])
  @Attribute(.unique) var uniqueID: UUID
  var body: String
  var stars: Int = 0
  var weight = 0.5
  var tags: [String] = []
  var kind: Kind = Kind.draft
  var modified: Date?
  var author: Author?
  @Relationship(deleteRule: .cascade) var pages: [Page] = []
  private var secret: String?
  @Transient var touched = 0

  init(uniqueID: UUID = UUID(), _ body: String, author: Author? = nil) {
    self._uniqueID = uniqueID
    self._body = body
    self._author = author
  }

  init(later body: String) async {
    self.uniqueID = UUID()
    self.body = body
  }

  func addStar() {
    stars += 1
  }

  func tag(_ tag: String) {
    tags.append(tag)
  }

  func sign(_ author: Author?) {
    self.author = author
  }

  func add(_ page: Page) {
    pages.append(page)
  }

  func keep(_ secret: String) {
    self.secret = secret
  }

  func revealed() -> String? { secret }
}

enum Kind: String, Codable {
  case draft, final
}

@Model
actor Author {
  let code: Int
  var name: String
  var rank: Int = 7
  @Relationship(inverse: Note.keyPath(\.author)) var notes: [Note] = []
}

@Model
actor Page {
  var number: Int
  var changes: Int = 0
  var text: String = "" {
    didSet { changes += 1 }
  }
  var note: Note?

  init(_ number: Int) {
    self._number = number
  }

  func write(_ text: String) {
    self.text = text
  }
}
