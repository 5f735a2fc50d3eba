import SwiftData
import Testing

/// In this suite, the connection is lost at random round trips of one context, and other contexts commit at random.
/// (``LostConnectionTests`` instead repeats one operation, and loses the connection at a different round trip each
/// time.)
@Suite("Random saves while connections are lost and other contexts commit")
struct RandomLossTests {
  private static let steps = 300

  @Test(
    "changes whose save returned are in the store, and changes whose save failed stay pending",
    arguments: [false, true])
  func random(_ beginsLate: Bool) throws {
    for seed in RandomTesting.seeds(RandomTesting.soak) {
      RandomTesting.note("steps with a connection that may go", Self.steps)
      var run = try LossyRun(seed: seed, beginsLate: beginsLate)
      do {
        for step in 0..<Self.steps { try run.doSomething(step) }
        try run.finish()
      } catch is Failure {
        // The issue is already recorded.
        return
      }
    }
  }
}

/// Runs random operations of one context, whose connection may be lost at each save, and compares the store's rows with
/// the expected rows.
private struct LossyRun {
  private let seed: UInt64
  private let store: TestStore
  private let context: ModelContext
  private var random: SeededGenerator
  private var step = 0
  /// The books of the context, by title, followed by each book's page count in the context and in the store.
  private var books: [String: Book] = [:]
  private var held: [String: Int] = [:]
  private var saved: [String: Int] = [:]
  /// The titles of the books that other contexts insert. The flag is raised when the book's save has returned.
  private var others: [(title: String, isSaved: Flag)] = []

  init(seed: UInt64, beginsLate: Bool) throws {
    self.seed = seed
    random = SeededGenerator(seed: seed)
    store = try TestStore(.remote, history: .ofSeed(seed))
    store.link.beginsLate = beginsLate
    context = store.context()
  }

  mutating func doSomething(_ step: Int) throws {
    self.step = step
    let title = books.keys.sorted().randomElement(using: &random)
    switch (Int.random(in: 0..<10, using: &random), title) {
    case (0..<3, _), (_, nil): insert()
    case (3..<6, let title?): change(title)
    case (6, let title?): delete(title)
    default: try save()
    }
  }

  /// Saves without losing the connection.
  mutating func finish() throws {
    store.link.stay()
    try context.save()
    saved = held
    try compare()
  }

  private mutating func insert() {
    let book = Book("ours \(step)", pages: step)
    context.insert(book)
    books[book.title] = book
    held[book.title] = step
  }

  private mutating func change(_ title: String) {
    books[title]?.pages = -step
    held[title] = -step
  }

  private mutating func delete(_ title: String) {
    if let book = books.removeValue(forKey: title) { context.delete(book) }
    held[title] = nil
  }

  private mutating func save() throws {
    if Int.random(in: 0..<3, using: &random) == 0 { letOthersSave() }
    if Bool.random(using: &random) { store.link.go(atTrip: Int.random(in: 1...12, using: &random)) }
    do {
      try context.save()
      saved = held
    } catch {
      try expect(error as? SwiftDataError == .storeUnreachable, "\(error)")
    }
    store.link.stay()
    try compare()
  }

  /// Lets another context save a book before the next transaction.
  private mutating func letOthersSave() {
    let (title, isSaved, container) = ("theirs \(step)", Flag(), store.container)
    others.append((title, isSaved))
    store.link.before(.begin) {
      let other = ModelContext(container)
      other.insert(Book(title, pages: 1))
      try other.save()
      isSaved.raise()
    }
  }

  private func compare() throws {
    var theirs: [String: Int] = [:]
    for other in others where other.isSaved.isRaised { theirs[other.title] = 1 }
    let stored = try pages(in: store.context())
    try expect(stored == saved.merging(theirs) { _, other in other }, "the store has \(stored)")
    let seen = try pages(in: context)
    try expect(seen == held.merging(theirs) { _, other in other }, "the context has \(seen)")
  }

  private func pages(in context: ModelContext) throws -> [String: Int] {
    let found = try context.fetch(FetchDescriptor<Book>()).map { ($0.title, $0.pages) }
    return Dictionary(found) { one, other in one == other ? .max : .min }
  }

  private func expect(_ isTrue: Bool, _ problem: String) throws {
    guard !isTrue else { return }
    Issue.record("seed \(seed), step \(step): \(problem); saved \(saved), held \(held)")
    throw Failure()
  }
}
