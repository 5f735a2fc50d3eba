import PersistenceCore
import SwiftData
import Testing

/// A context must keep the order of a list while it fetches the rows of the list's members again.
@Suite("Lists in a custom store")
struct ListTests {
  private func author(_ context: ModelContext) throws -> Author {
    try #require(try context.fetch(FetchDescriptor<Author>()).first)
  }

  /// The titles of the author's books, in the order of the list in the store.
  private func stored(_ lab: StoreLab) throws -> [String?] {
    let titles = Dictionary(
      uniqueKeysWithValues: lab.script.rows(of: "Book").map {
        ($0.persistentIdentifier, $0.value("title", as: String.self))
      })
    return try #require(lab.script.rows(of: "Author").first?.list("books")).map { titles[$0] ?? nil }
  }

  /// Changes the order of the list in the store, as another program does.
  private func reorder(_ lab: StoreLab, _ titles: [String]) {
    lab.script.with { state in
      let books = titles.compactMap { title in state.rows.first { $0.value("title") == title }?.persistentIdentifier }
      for index in state.rows.indices where state.rows[index].persistentIdentifier.entityName == "Author" {
        state.rows[index] = state.rows[index].with("books", .toMany(books))
      }
    }
  }

  @Test(
    "a list is saved in its current order even if its members were fetched again",
    arguments: [false, true], [false, true])
  func movedTwice(_ isElsewhere: Bool, _ fetchesOwner: Bool) throws {
    let lab = try StoreLab()
    try lab.fill(["a", "b", "c", "d"])
    let (context, other) = (lab.context(), lab.context())
    let author = try author(context)
    let books = author.books
    func move(_ order: [Int]) throws {
      author.books = order.map { books[$0] }
      try context.save()
      let reader = isElsewhere ? other : context
      _ = try reader.fetch(FetchDescriptor<Book>())
      if fetchesOwner { _ = try reader.fetch(FetchDescriptor<Author>()).map(\.books.count) }
      #expect(author.books.map(\.title) == order.map { books[$0].title })
      #expect(try stored(lab) == order.map { books[$0].title })
    }
    for order in [[2, 0, 1, 3], [2, 1, 0, 3], [3, 2, 1, 0], [0, 3, 1, 2], [1, 0, 3, 2]] { try move(order) }
    let read = try self.author(lab.fresh().context())
    #expect(read.books.map(\.title) == ["b", "a", "d", "c"])
  }

  @Test("if another program reorders a list, contexts that have the list in memory read it again")
  func reordered() throws {
    let lab = try StoreLab()
    try lab.fill(["a", "b", "c"])
    let (here, there) = (lab.context(), lab.context())
    let author = try author(here)
    #expect(author.books.map(\.title) == ["a", "b", "c"])
    reorder(lab, ["b", "c", "a"])
    #expect(try self.author(there).books.map(\.title) == ["b", "c", "a"])
    _ = try here.fetchCount(FetchDescriptor<Tag>())
    #expect(author.books.map(\.title) == ["b", "c", "a"])
    author.books.swapAt(0, 2)
    try here.save()
    #expect(try stored(lab) == ["a", "c", "b"])
  }

  @Test("a list keeps its order when its members are loaded later")
  func laterMembers() throws {
    let lab = try StoreLab { $0.isCaching = true }
    try lab.fill(["a", "b", "c", "d", "e"])
    reorder(lab, ["e", "a", "d", "b", "c"])
    let fresh = try lab.fresh()
    let context = fresh.context()
    let author = try author(context)
    for title in ["b", "e", "c"] {
      let found = try context.fetch(FetchDescriptor<Book>(predicate: #Predicate { $0.title == title }))
      #expect(found.count == 1)
    }
    #expect(author.books.map(\.title) == ["e", "a", "d", "b", "c"])
    author.books.swapAt(1, 3)
    try context.save()
    #expect(try stored(fresh) == ["e", "b", "d", "a", "c"])
  }

  @Test("a list has the order of the store even if its owner was never fetched")
  func unreadOwner() throws {
    let lab = try StoreLab()
    try lab.fill(["a", "b", "c"])
    reorder(lab, ["c", "a", "b"])
    let context = try lab.fresh().context()
    let book = try #require(try context.fetch(FetchDescriptor<Book>()).first)
    #expect(book.author?.books.map(\.title) == ["c", "a", "b"])
  }

  @Test("a list is complete after a save fetched the list's members and then threw")
  func refusedSave() throws {
    struct Refusal: Error {}
    let lab = try StoreLab { $0.isCaching = true }
    try lab.fill(["a", "b"])
    let other = Author("James Joyce")
    let writer = lab.context()
    writer.insert(other)
    other.books = [Book("c"), Book("d")]
    try writer.save()
    let fresh = try lab.fresh()
    let context = fresh.context()
    let kept = try #require(
      try context.fetch(FetchDescriptor<Author>()).first { $0.name == "James Joyce" }
    ).persistentModelID
    try context.delete(model: Author.self, where: #Predicate { $0.name == "Jane Austen" })
    fresh.script.with { $0.refusal = Refusal() }
    #expect(throws: Refusal.self) { try context.save() }
    fresh.script.with { $0.refusal = nil }
    let reader = fresh.context()
    #expect((reader.model(for: kept) as? Author)?.books.map(\.title) == ["c", "d"])
    context.rollback()
    #expect(try self.author(fresh.context()).books.count == 2)
  }

  @Test("a list is complete after a save fetched the entity of the list's members and then threw")
  func refusedInsertion() throws {
    struct Refusal: Error {}
    let lab = try StoreLab([Crew.self, Sailor.self])
    let writer = lab.context()
    let crew = Crew()
    writer.insert(crew)
    crew.sailors = [Sailor(1), Sailor(2)]
    try writer.save()
    let fresh = try lab.fresh()
    let context = fresh.context()
    context.insert(Sailor(3))
    fresh.script.with { $0.refusal = Refusal() }
    #expect(throws: Refusal.self) { try context.save() }
    fresh.script.with { $0.refusal = nil }
    #expect(try fresh.context().fetch(FetchDescriptor<Crew>()).first?.sailors.map(\.number) == [1, 2])
    try context.save()
    #expect(try fresh.context().fetchCount(FetchDescriptor<Sailor>()) == 3)
  }

  @Test("a list of models keeps its objects if another program exchanges their unique values")
  func exchangedValues() throws {
    let lab = try StoreLab([Member.self])
    let context = lab.context()
    for number in 1...3 { context.insert(Member(number, "\(number)")) }
    try context.save()
    let sorted = FetchDescriptor<Member>(sortBy: [SortDescriptor(\.number)])
    let members = try context.fetch(sorted)
    lab.script.with { state in
      state.rows[0] = state.rows[0].with("number", .value(2))
      state.rows[1] = state.rows[1].with("number", .value(1))
    }
    #expect(try context.fetch(sorted).map(\.name) == ["2", "1", "3"])
    #expect(members.map(\.number) == [2, 1, 3])
    // The first row gets the unique number that the third row had. The next fetch returns only the first row.
    lab.script.with { state in
      state.rows[0] = state.rows[0].with("number", .value(3))
      state.rows[2] = state.rows[2].with("number", .value(9))
    }
    let three = FetchDescriptor<Member>(predicate: #Predicate { $0.number == 3 })
    #expect(try context.fetch(three).map(\.name) == ["1"])
    #expect(try context.fetch(sorted).map(\.name) == ["2", "1", "3"])
    #expect(members.map(\.number) == [3, 1, 9])
  }
}
