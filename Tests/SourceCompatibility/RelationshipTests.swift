import SwiftData
import Testing

@Suite("Shapes of relationships")
struct RelationshipTests {
  @Test("An array, and an optional object as its inverse") func oneToMany() throws {
    let author = Author(name: "a", articles: [Article(title: "x"), Article(title: "y")])
    try roundTrip(author) {
      #expect($0.articles.map(\.title).sorted() == ["x", "y"])
      #expect($0.articles.allSatisfy { $0.author?.name == "a" })
    }
  }

  @Test("An array that grows in place") func append() throws {
    let author = Author(name: "a")
    try roundTrip(
      author,
      changing: {
        $0.articles.append(Article(title: "x"))
        $0.articles.append(contentsOf: [Article(title: "y"), Article(title: "z")])
        $0.articles.removeFirst()
      }
    ) { #expect($0.articles.map(\.title) == ["y", "z"]) }
  }

  @Test("An optional array") func optionalArray() throws {
    let author = Author(name: "a")
    author.journals?.append(Journal(title: "j"))
    try roundTrip(author) {
      #expect($0.journals?.map(\.title) == ["j"])
      #expect($0.journals?.first?.editors.map(\.name) == ["a"])
    }
  }

  @Test("Many on both sides") func manyToMany() throws {
    let article = Article(title: "x")
    article.keywords = [Keyword(text: "k"), Keyword(text: "l")]
    try roundTrip(article) {
      #expect($0.keywords.map(\.text) == ["k", "l"])
      #expect($0.keywords.allSatisfy { $0.articles.map(\.title) == ["x"] })
    }
  }

  @Test("A required object") func requiredObject() throws {
    let remark = Remark(text: "r", article: Article(title: "x"))
    try roundTrip(remark) {
      #expect($0.article.title == "x")
      #expect($0.article.remarks?.map(\.text) == ["r"])
    }
  }

  @Test("One on both sides, and the same class on both sides") func oneToOne() throws {
    let author = Author(name: "a")
    let home = Home(street: "s")
    author.home = home
    try roundTrip(home, with: [Author.self]) { #expect($0.owner?.name == "a") }
    let pupil = Author(name: "p")
    pupil.mentor = Author(name: "m")
    let container = try memoryContainer([Author.self])
    let context = ModelContext(container)
    context.insert(pupil)
    try context.save()
    let found = try ModelContext(container).fetch(
      FetchDescriptor<Author>(predicate: #Predicate { $0.mentor?.name == "m" }))
    #expect(found.map(\.name) == ["p"])
  }

  @Test("An implicitly unwrapped object, an inferred array and a model that is Codable") func others() throws {
    let home = Home(street: "s")
    let room = Room(name: "r")
    room.door = Door(color: "red")
    room.windows = [Window(width: 1), Window(width: 2)]
    home.rooms = [room]
    try roundTrip(home) {
      #expect($0.rooms.map(\.name) == ["r"])
      #expect($0.rooms.first?.door.color == "red")
      #expect($0.rooms.first?.windows.map(\.width) == [1, 2])
      #expect($0.rooms.first?.windows.first?.room?.name == "r")
    }
  }

  @Test("Setting one end before the insertion sets the other") func inverseBeforeInsertion() throws {
    let author = Author(name: "a")
    let article = Article(title: "x")
    article.author = author
    try roundTrip(author) { #expect($0.articles.map(\.title) == ["x"]) }
  }

  @Test("Deleting the owner deletes what it owns") func cascade() throws {
    let container = try memoryContainer([Author.self])
    let context = ModelContext(container)
    let author = Author(name: "a", articles: [Article(title: "x")])
    context.insert(author)
    try context.save()
    context.delete(author)
    try context.save()
    let reader = ModelContext(container)
    #expect(try reader.fetchCount(FetchDescriptor<Author>()) == 0)
    #expect(try reader.fetchCount(FetchDescriptor<Article>()) == 0)
  }
}
