import SwiftData
import Testing

@Suite("Prefetched relationships and partial fetches", .serialized)
struct PrefetchTests {
  private func filled() throws -> LoggedStore {
    let store = try LoggedStore()
    let context = store.context()
    for number in 0..<10 {
      let author = Author("author \(number)", agency: Agency("agency \(number)"))
      author.passport = Passport(number)
      context.insert(Text("\(number)", pages: number, author: author))
    }
    try context.save()
    return store
  }

  @Test("key paths through several relationships are prefetched with one statement each")
  func nested() throws {
    let store = try filled()
    let context = store.context()
    var descriptor = FetchDescriptor<Text>(sortBy: [SortDescriptor(\.pages)])
    descriptor.relationshipKeyPathsForPrefetching = [\.author?.agency, \.author?.passport, \.author?.texts]
    var texts: [Text] = []
    let statements = try store.reads { texts = try context.fetch(descriptor) }
    #expect(statements.count == 5, "\(statements)")
    var found: [[String]] = []
    let later = store.reads {
      for text in texts {
        let author = text.author
        found.append([
          author?.agency?.name ?? "", "\(author?.passport?.number ?? -1)", author?.texts.first?.title ?? "",
        ])
      }
    }
    #expect(later.isEmpty, "\(later)")
    #expect(found == (0..<10).map { ["agency \($0)", "\($0)", "\($0)"] })
  }

  @Test("to-one and to-many relationships are prefetched with and without pending changes", arguments: Engine.allCases)
  func pending(_ engine: Engine) throws {
    let store = try TestStore(engine)
    let context = store.context()
    let saved = Author("saved")
    context.insert(Text("a", author: saved))
    try context.save()
    context.insert(Text("b", author: Author("new")))
    context.insert(Text("c", author: saved))
    saved.name = "changed"
    var descriptor = FetchDescriptor<Text>(sortBy: [SortDescriptor(\.title)])
    descriptor.relationshipKeyPathsForPrefetching = [\.author, \.author?.texts]
    let texts = try context.fetch(descriptor)
    #expect(texts.map { $0.author?.name } == ["changed", "new", "changed"])
    #expect(saved.texts.map(\.title).sorted() == ["a", "c"])
  }

  @Test("a key path that is not a stored relationship throws")
  func refused() throws {
    let context = try TestStore(.memory).context()
    var descriptor = FetchDescriptor<Text>()
    descriptor.relationshipKeyPathsForPrefetching = [\.title]
    #expect(throws: SwiftDataError.unsupportedKeyPath) { try context.fetch(descriptor) }
    descriptor.relationshipKeyPathsForPrefetching = []
    descriptor.propertiesToFetch = [\.computed]
    #expect(throws: SwiftDataError.unsupportedKeyPath) { try context.fetch(descriptor) }
  }

  @Test("a partial fetch reads the other properties on first access", arguments: Engine.allCases)
  func properties(_ engine: Engine) throws {
    let store = try TestStore(engine)
    let context = store.context()
    context.insert(Text("a", pages: 3, price: 5, shelf: Place(city: "Rom", floor: 1), author: Author("Ada")))
    try context.save()
    var descriptor = FetchDescriptor<Text>(sortBy: [SortDescriptor(\.author?.name)])
    descriptor.propertiesToFetch = [\.title, \.shelf.city, \.author?.name, \.persistentModelID]
    let sql = try descriptor.explain(in: store.context()).sql
    #expect(sql.hasPrefix(#"SELECT "_osd_key", "title", "shelf_city", "shelf_floor", "author""#))
    #expect(!sql.contains(#""pages""#) && !sql.contains(#""price""#))
    let text = try #require(try store.context().fetch(descriptor).first)
    #expect(text.shelf == Place(city: "Rom", floor: 1))
    #expect(text.pages == 3 && text.price == 5)
    #expect(text.author?.name == "Ada")
  }
}

extension Text {
  fileprivate var computed: Int { pages + 1 }
}
