import SwiftData
import Testing

/// A relationship that is set on one side can be read on this side. These tests set both sides, and do not test that
/// one side updates the other.
@Suite("Forms of relationships")
struct RelationshipTests {
  @Test("An array may have an optional object as its inverse") func oneToMany() throws {
    let author = Author(name: "a", articles: [Article(title: "x"), Article(title: "y"), Article(title: "w")])
    for article in author.articles { article.author = author }
    try roundTrip(author) { found in
      #expect(found.articles.map(\.title) == ["x", "y", "w"])
      #expect(found.articles.allSatisfy { $0.author === found })
    }
  }

  @Test("Objects can be added to an array, and removed from it, in place") func append() throws {
    try roundTrip(changing: Author(name: "a")) {
      $0.articles.append(Article(title: "z"))
      $0.articles.append(contentsOf: [Article(title: "y"), Article(title: "x")])
      #expect($0.articles.allSatisfy { $0.modelContext != nil }, "a new object is inserted")
      $0.articles.removeFirst()
    } then: {
      #expect($0.articles.map(\.title) == ["y", "x"])
    }
  }

  @Test("Appending inserts an object into the context of its owner, at once or when the owner is inserted")
  func insertion() throws {
    let container = try memoryContainer([Author.self])
    let context = ModelContext(container)
    let author = Author(name: "a")
    let early = Article(title: "early")
    author.articles.append(early)
    #expect(early.modelContext == nil)
    context.insert(author)
    let late = Article(title: "late")
    author.articles.append(late)
    #expect(early.modelContext == context)
    #expect(late.modelContext == context)
    try context.save()
    let reader = ModelContext(container)
    #expect(try reader.fetchCount(FetchDescriptor<Article>()) == 2)
    #expect(try reader.fetch(FetchDescriptor<Author>()).first?.articles.map(\.title) == ["early", "late"])
  }

  @Test("An optional array may have an array as its inverse") func optionalArray() throws {
    let author = Author(name: "a")
    let journal = Journal(title: "j")
    author.journals?.append(journal)
    journal.editors = [author]
    try roundTrip(author) { found in
      #expect(found.journals?.map(\.title) == ["j"])
      #expect(found.journals?.first?.editors.map(\.name) == ["a"])
      #expect(found.journals?.first?.editors.first === found)
    }
  }

  @Test("A relationship may be many-to-many") func manyToMany() throws {
    let article = Article(title: "x")
    article.keywords = [Keyword(text: "l"), Keyword(text: "k")]
    for keyword in article.keywords { keyword.articles = [article] }
    try roundTrip(article) { found in
      #expect(found.keywords.map(\.text) == ["l", "k"])
      #expect(found.keywords.allSatisfy { $0.articles.count == 1 && $0.articles.first === found })
    }
  }

  @Test("A model may have a required object, and an optional array without a default") func requiredObject() throws {
    let article = Article(title: "x")
    let remark = Remark(text: "r", article: article)
    article.remarks = [remark]
    try roundTrip(remark) { found in
      #expect(found.article.title == "x")
      #expect(found.article.remarks?.map(\.text) == ["r"])
      #expect(found.article.remarks?.first === found)
    }
  }

  @Test("A relationship may be one-to-one") func oneToOne() throws {
    let author = Author(name: "a")
    let home = Home(street: "s")
    author.home = home
    home.owner = author
    try roundTrip(home, with: [Author.self]) { found in
      #expect(found.owner?.name == "a")
      #expect(found.owner?.home === found)
    }
  }

  @Test("An object may be related to an object of the same class, including in a predicate") func sameClass() throws {
    let pupil = Author(name: "p")
    pupil.mentor = Author(name: "m")
    let container = try memoryContainer([Author.self])
    let context = ModelContext(container)
    context.insert(pupil)
    try context.save()
    let reader = ModelContext(container)
    let found = try reader.fetch(FetchDescriptor<Author>(predicate: #Predicate { $0.mentor?.name == "m" }))
    #expect(found.map(\.name) == ["p"])
    #expect(found.first?.mentor?.name == "m")
  }

  @Test("An implicitly unwrapped object, an array with an inferred type, and a Codable model can be relationships")
  func others() throws {
    let home = Home(street: "s")
    let room = Room(name: "r")
    room.door = Door(color: "red")
    room.windows = [Window(width: 2), Window(width: 1)]
    for window in room.windows { window.fit(into: room) }
    home.rooms = [room, Room(name: "q")]
    try roundTrip(home) {
      #expect($0.rooms.map(\.name) == ["r", "q"])
      let first = try #require($0.rooms.first)
      #expect(first.door.color == "red")
      #expect(first.windows.map(\.width) == [2, 1])
      #expect(first.windows.allSatisfy { $0.room === first })
    }
  }

  @Test("A reference may have @Attribute, and a model may have the name of a type of the standard library")
  func otherAttributes()
    throws
  {
    let play = Stage.Play(title: "p")
    let hero = Stage.Character(name: "h")
    play.cast.append(hero)
    #expect(hero.play === play)
    try roundTrip(play, with: [Stage.Character.self]) { found in
      #expect(found.cast.map(\.name) == ["h"])
      #expect(found.cast.first?.play === found)
    }
  }

  @Test("Objects can be exchanged, reordered and removed") func changes() throws {
    let author = Author(name: "a", articles: [Article(title: "x"), Article(title: "y"), Article(title: "z")])
    author.mentor = Author(name: "m")
    author.home = Home(street: "s")
    let container = try memoryContainer([Author.self])
    let writer = ModelContext(container)
    writer.insert(author)
    try writer.save()
    author.articles.reverse()
    author.articles[1] = Article(title: "new")
    author.home = Home(street: "t")
    author.mentor = nil
    try writer.save()
    let reader = ModelContext(container)
    let found = try #require(
      try reader.fetch(FetchDescriptor<Author>(predicate: #Predicate { $0.name == "a" })).first)
    #expect(found.articles.map(\.title) == ["z", "new", "x"])
    #expect(found.home?.street == "t")
    #expect(found.mentor == nil)
  }
}
