import SwiftData

@Model final class Author {
  var name: String
  @Relationship(deleteRule: .cascade, inverse: \Article.author) var articles: [Article]
  @Relationship(deleteRule: .nullify, inverse: \Journal.editors) var journals: [Journal]? = []
  @Relationship var mentor: Author?
  var home: Home?

  init(name: String, articles: [Article] = []) {
    self.name = name
    self.articles = articles
  }
}

@Model final class Article {
  var title: String
  var author: Author?
  @Relationship(inverse: \Keyword.articles) var keywords: [Keyword] = []
  @Relationship(
    deleteRule: .cascade,
    inverse: \Remark.article
  )
  var remarks: [Remark]?

  init(title: String) { self.title = title }
}

@Model class Keyword {
  var text: String
  var articles: [Article] = []

  init(text: String) { self.text = text }
}

@Model final class Remark {
  var text: String
  var article: Article

  init(text: String, article: Article) {
    self.text = text
    self.article = article
  }
}

@Model final class Journal {
  var title: String
  var editors: [Author] = []

  init(title: String) { self.title = title }
}

@Model final class Home {
  var street: String
  @Relationship(deleteRule: .noAction, inverse: \Author.home) var owner: Author?
  @Relationship(deleteRule: .cascade) var rooms = [Room]()

  init(street: String) { self.street = street }
}

@Model final class Room {
  var name: String
  @Relationship(deleteRule: .deny) var door: Door!
  @Relationship(minimumModelCount: 0, maximumModelCount: 2, originalName: "panes") var windows: [Window] = []

  init(name: String) { self.name = name }
}

@Model final class Door {
  var color: String

  init(color: String) { self.color = color }
}

@Model final class Window: Codable {
  var width: Int
  private(set) var room: Room?

  init(width: Int) { self.width = width }

  func fit(into room: Room) { self.room = room }

  required init(from decoder: any Decoder) throws { width = try decoder.singleValueContainer().decode(Int.self) }

  func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(width)
  }
}

enum Stage {
  @Model final class Play {
    var title: String
    var cast: [Character] = []

    init(title: String) { self.title = title }
  }

  @Model final class Character {
    var name: String
    @Attribute(originalName: "drama") var play: Play?

    init(name: String) { self.name = name }
  }
}
