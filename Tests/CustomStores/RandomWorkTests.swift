import ConformanceSupport
import PersistenceCore
import SeededNumbers
import SwiftData
import Testing

/// The same random operations must have the same results in a custom store and in the built-in store.
@Suite("Random operations on a custom store")
struct RandomWorkTests {
  /// A container, and a context that the test replaces occasionally.
  private final class Side {
    let container: ModelContainer
    var context: ModelContext
    /// Whether a batch deletion is pending. Until it is saved, objects may not show it yet, and a predicate on other
    /// models may still count its rows.
    var hasBatchDeletion = false
    /// An author whose list of books stays in the context's memory during other fetches.
    var held: Author?

    init(_ container: ModelContainer) {
      self.container = container
      context = ModelContext(container)
    }

    /// Replaces the context.
    func restart() {
      held = nil
      context = ModelContext(container)
    }

    /// Fetches all books and authors in a new context.
    func look() throws {
      let other = ModelContext(container)
      _ = try other.fetch(FetchDescriptor<Book>()).map(\.tags.count)
      _ = try other.fetch(FetchDescriptor<Author>()).map(\.books.count)
    }

    func authors() throws -> [Author] { try context.fetch(FetchDescriptor(sortBy: [SortDescriptor(\.name)])) }
    func books() throws -> [Book] { try context.fetch(FetchDescriptor(sortBy: [SortDescriptor(\.title)])) }
    func tags() throws -> [Tag] { try context.fetch(FetchDescriptor(sortBy: [SortDescriptor(\.word)])) }

    /// All content that a program can read, as text.
    func content() throws -> String {
      var lines: [String] = []
      for author in try authors() { lines.append("\(author.name): \(author.books.map(\.title))") }
      for book in try books() {
        lines.append("\(book.title) \(book.pages) \(book.author?.name ?? "-") \(book.tags.map(\.word))")
      }
      for tag in try tags() { lines.append("\(tag.word) \(tag.books.map(\.title).sorted())") }
      let long = FetchDescriptor<Book>(predicate: #Predicate { $0.pages > 50 }, sortBy: [SortDescriptor(\.title)])
      lines.append("\(try context.fetchCount(long)) \(try context.fetch(long).map(\.title))")
      let busy = FetchDescriptor<Author>(predicate: #Predicate { $0.books.count > 1 }, sortBy: [SortDescriptor(\.name)])
      if !hasBatchDeletion { lines.append("\(try context.fetch(busy).map(\.name))") }
      return lines.joined(separator: "\n")
    }
  }

  @Test(
    "random operations have the same results in a custom store and in the built-in store",
    arguments: RandomTesting.seeds(8 * RandomTesting.soak))
  func sameResults(_ seed: UInt64) throws {
    let script = StoreScript()
    script.with { state in
      state.isCaching = seed % 2 == 0
      state.prefersFilter = seed % 4 > 1
      state.prefersSort = seed % 3 == 1
      state.returnsRelated = seed % 5 == 0
      state.findsIdentifiers = seed % 7 < 3
    }
    let ofProgram: any DataStoreConfiguration =
      seed % 3 == 2 ? BatchingConfiguration(script) : MemoryConfiguration(script)
    let models = Schema(libraryModels)
    let sides = [
      Side(try ModelContainer(for: models, configurations: ModelConfiguration(isStoredInMemoryOnly: true))),
      Side(try ModelContainer(for: models, configurations: [ofProgram])),
    ]
    var numbers = SeededGenerator(seed: seed)
    for step in 0..<150 {
      let kind = Int.random(in: 0..<18, using: &numbers)
      let one = Int.random(in: 0..<50, using: &numbers)
      let two = Int.random(in: 0..<50, using: &numbers)
      for side in sides { try Self.run(kind, one, two, step, on: side) }
      guard step % 10 == 9 else { continue }
      let (expected, found) = (try sides[0].content(), try sides[1].content())
      #expect(found == expected, "seed \(seed), step \(step)")
      guard found == expected else { return }
    }
    for side in sides {
      try side.context.save()
      side.hasBatchDeletion = false
      side.restart()
    }
    #expect(try sides[1].content() == sides[0].content(), "seed \(seed)")
    // A new container has nothing in memory, so all this content comes from the store.
    let fresh = Side(try ModelContainer(for: models, configurations: [ofProgram]))
    #expect(try fresh.content() == sides[0].content(), "seed \(seed), opened again")
  }

  private static func run(_ kind: Int, _ one: Int, _ two: Int, _ step: Int, on side: Side) throws {
    let context = side.context
    switch kind {
    case 0, 1: context.insert(Author("author \(step)"))
    case 2, 3:
      let authors = try side.authors()
      let book = Book("book \(step)", pages: one)
      context.insert(book)
      if !authors.isEmpty { authors[two % authors.count].books.append(book) }
    case 4: context.insert(Tag("tag \(step)"))
    case 5:
      guard let book = try pick(side.books(), one), let tag = try pick(side.tags(), two) else { return }
      if !book.tags.contains(where: { $0 === tag }) { book.tags.append(tag) }
    case 6: try pick(side.books(), one)?.tags = []
    case 7: try pick(side.books(), one)?.author = try pick(side.authors(), two)
    case 8: try pick(side.books(), one)?.pages = two
    case 9: try pick(side.authors(), one)?.books.reverse()
    case 10: if let book = try pick(side.books(), one) { context.delete(book) }
    case 11: if one < 15, let author = try pick(side.authors(), two) { context.delete(author) }
    case 12:
      try context.save()
      side.hasBatchDeletion = false
    case 13: side.held = try pick(side.authors(), one)
    case 14, 15:
      guard let author = side.held, !author.isDeleted, author.books.count > 1 else { return }
      let book = author.books.remove(at: one % author.books.count)
      author.books.insert(book, at: two % (author.books.count + 1))
      try context.save()
      side.hasBatchDeletion = false
    case 16: try side.look()
    default:
      try context.save()
      side.hasBatchDeletion = false
      if one < 20 { side.restart() }
      if one == 49 {
        let limit = two
        side.hasBatchDeletion = true
        try side.context.delete(model: Book.self, where: #Predicate { $0.pages > limit })
      }
    }
  }

  private static func pick<T>(_ list: [T], _ number: Int) throws -> T? {
    list.isEmpty ? nil : list[number % list.count]
  }
}
