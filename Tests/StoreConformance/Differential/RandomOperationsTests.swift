import SwiftData
import Testing

/// Runs the same random operations on a context and on a dictionary of expected rows, and compares the two.
///
/// The environment variable `OSD_SOAK` multiplies the number of steps, and `OSD_SEED` repeats the run with that seed.
@Suite("Random insertions, changes, deletions, saves and rollbacks", .serialized)
struct RandomOperationsTests {
  @Test("the context and the store have the same rows as a dictionary", arguments: Engine.randomCases)
  func withoutTransactions(_ engine: Engine) throws {
    RandomTesting.run(RandomRun.self, engine, transactions: false, steps: 1500)
  }

  @Test(
    "the context and the store have the same rows as a dictionary, even if some transactions throw",
    arguments: Engine.randomCases)
  func withTransactions(_ engine: Engine) throws {
    RandomTesting.run(RandomRun.self, engine, transactions: true, steps: 1500)
  }
}

/// The expected values of a row.
private struct Record: Equatable {
  var title: String
  var rating: Double?
  var genre: Genre
  var isRead: Bool

  init(title: String, rating: Double?, genre: Genre, isRead: Bool) {
    self.title = title
    self.rating = rating
    self.genre = genre
    self.isRead = isRead
  }

  init(_ book: Book) {
    self.init(title: book.title, rating: book.rating, genre: book.genre, isRead: book.isRead)
  }
}

private struct RandomRun: RandomizedRun {
  let seed: UInt64
  var step = 0
  private let transactions: Bool
  private let store: TestStore
  private var context: ModelContext
  private var generator: SeededGenerator
  /// The expected rows of the store and of the context. The key is the value of `pages`, by which the test identifies a
  /// book.
  private var stored: [Int: Record] = [:]
  private var current: [Int: Record] = [:]
  /// Books that the test retains, so that later steps change the same objects.
  private var held: [Int: Book] = [:]
  /// The identifier that each book had when it was inserted.
  private var identifiers: [Int: PersistentIdentifier] = [:]
  private var next = 0

  init(_ engine: Engine, seed: UInt64, transactions: Bool) throws {
    self.seed = seed
    self.transactions = transactions
    store = try TestStore(engine, history: .ofSeed(seed))
    context = store.context()
    generator = SeededGenerator(seed: seed)
  }

  private var place: String { "seed \(seed), step \(step)" }

  private func check(_ condition: Bool, _ rule: String, location: SourceLocation = #_sourceLocation) throws {
    guard !condition else { return }
    Issue.record("\(rule): \(place)", sourceLocation: location)
    throw Failure()
  }

  mutating func doSomething() throws {
    switch Int.random(in: 0..<100, using: &generator) {
    case 0..<25: insert()
    case 25..<50: try edit()
    case 50..<62: try delete()
    case 62..<70: try save()
    case 70..<73: rollback()
    case 73..<78: if transactions { try transaction() }
    case 78..<82: try compareAll()
    case 82..<88: try comparePart()
    case 88..<92: try compareIdentifiers()
    case 92..<95: forget()
    case 95..<98: newContext()
    default: try reopen()
    }
    try check(context.hasChanges || stored == current, "a context without changes is as the store")
  }

  private mutating func randomRecord() -> Record {
    Record(
      title: ["", "a", "e\u{301}", "\0", "zz", "\u{1F600}"].randomElement(using: &generator)! + "\(next)",
      rating: Bool.random(using: &generator) ? nil : Double.random(in: -5...5, using: &generator),
      genre: Genre.allCases.randomElement(using: &generator)!, isRead: Bool.random(using: &generator))
  }

  private mutating func insert() {
    for _ in 0..<Int.random(in: 1...3, using: &generator) {
      let record = randomRecord()
      let book = Book(
        record.title, pages: next, rating: record.rating, isRead: record.isRead, genre: record.genre)
      context.insert(book)
      identifiers[next] = book.persistentModelID
      if Bool.random(using: &generator) { held[next] = book }
      current[next] = record
      next += 1
    }
  }

  /// A random book of the context and its number. If the test does not retain the book, it is fetched.
  private mutating func someBook() throws -> (Int, Book)? {
    guard let number = current.keys.sorted().randomElement(using: &generator) else { return nil }
    if let book = held[number] { return (number, book) }
    let found = try context.fetch(FetchDescriptor<Book>(predicate: #Predicate { $0.pages == number }))
    try check(found.count == 1, "row \(number) is found once, not \(found.count) times")
    if Bool.random(using: &generator) { held[number] = found[0] }
    return (number, found[0])
  }

  private mutating func edit() throws {
    guard let (number, book) = try someBook() else { return }
    let record = randomRecord()
    switch Int.random(in: 0..<5, using: &generator) {
    case 0:
      book.title = record.title
      current[number]?.title = record.title
    case 1:
      book.rating = record.rating
      current[number]?.rating = record.rating
    case 2:
      book.genre = record.genre
      current[number]?.genre = record.genre
    case 3:
      book.isRead.toggle()
      current[number]?.isRead.toggle()
    default:
      (book.title, book.rating, book.genre, book.isRead) = (record.title, record.rating, record.genre, record.isRead)
      current[number] = record
    }
  }

  private mutating func delete() throws {
    guard let (number, book) = try someBook() else { return }
    context.delete(book)
    current[number] = nil
    held[number] = nil
  }

  mutating func save() throws {
    try context.save()
    stored = current
    try check(!context.hasChanges, "nothing is pending after a save")
  }

  private mutating func rollback() {
    context.rollback()
    // Books whose insertion was rolled back no longer belong to the context.
    held = held.filter { stored[$0.key] != nil }
    current = stored
  }

  /// Runs a transaction that may throw, and may save before it throws.
  private mutating func transaction() throws {
    let before = self
    let throwing = Bool.random(using: &generator)
    let saving = Bool.random(using: &generator)
    do {
      try context.transaction {
        insert()
        try edit()
        if saving { try save() }
        try delete()
        insert()
        if throwing { throw Failure() }
      }
      stored = current
    } catch is Failure {
      stored = before.stored
      current = before.current
      held = before.held
    }
    try compareAll()
  }

  private mutating func newContext() {
    context = store.context()
    held = [:]
    current = stored
  }

  mutating func reopen() throws {
    held = [:]
    context = ModelContext(store.container)
    try store.reopen()
    newContext()
    try compareAll()
  }

  private mutating func forget() {
    held = held.filter { $0.key % 3 == 0 }
  }

  private func checkRows(_ books: [Book], _ wanted: [Int: Record], _ place: String) throws {
    let found = books.map(\.pages)
    let missing = Set(wanted.keys).subtracting(found).sorted()
    let extra = Set(found).subtracting(wanted.keys).sorted()
    try check(found == wanted.keys.sorted(), "\(place) lacks \(missing) and has \(extra) in addition, or not in order")
  }

  mutating func compareAll() throws {
    let books = try context.fetch(FetchDescriptor<Book>(sortBy: [SortDescriptor(\.pages)]))
    try checkRows(books, current, "the context")
    for book in books {
      try check(Record(book) == current[book.pages], "row \(book.pages) is \(Record(book))")
      if let known = held[book.pages] { try check(known === book, "row \(book.pages) has one instance") }
      try check(identifiers[book.pages] == book.persistentModelID, "row \(book.pages) keeps its identifier")
    }
    let other = try store.context().fetch(FetchDescriptor<Book>(sortBy: [SortDescriptor(\.pages)]))
    try checkRows(other, stored, "the store")
    for book in other { try check(Record(book) == stored[book.pages], "stored row \(book.pages) is \(Record(book))") }
  }

  private mutating func comparePart() throws {
    let border = Double.random(in: -5...5, using: &generator)
    let read = Bool.random(using: &generator)
    let predicate = #Predicate<Book> { ($0.rating ?? 0) > border && $0.isRead == read }
    var descriptor = FetchDescriptor(predicate: predicate, sortBy: [SortDescriptor(\.pages, order: .reverse)])
    if Bool.random(using: &generator) { descriptor.fetchLimit = Int.random(in: 1...20, using: &generator) }
    if Bool.random(using: &generator) { descriptor.fetchOffset = Int.random(in: 0...20, using: &generator) }
    let wanted = current.filter { ($0.value.rating ?? 0) > border && $0.value.isRead == read }.keys.sorted(by: >)
      .dropFirst(descriptor.fetchOffset ?? 0).prefix(descriptor.fetchLimit ?? .max)
    let found = try context.fetch(descriptor).map(\.pages)
    try check(found == Array(wanted), "\(found) are found, not \(Array(wanted))")
    try check(try context.fetchCount(descriptor) == wanted.count, "the count is that of the fetch")
    if Bool.random(using: &generator) { descriptor.propertiesToFetch = [\.title] }
    for book in try context.fetch(descriptor) {
      try check(Record(book) == current[book.pages], "row \(book.pages) is \(Record(book))")
    }
  }

  private mutating func compareIdentifiers() throws {
    guard let number = identifiers.keys.sorted().randomElement(using: &generator) else { return }
    let identifier = identifiers[number]!
    let book = context[identifier, as: Book.self]
    try check((book != nil) == (current[number] != nil), "row \(number) is found when it is there")
    if let book { try check(Record(book) == current[number], "row \(number) is \(Record(book))") }
    try check(context.model(for: identifier).isDeleted == (current[number] == nil), "a stand-in is for a missing row")
  }
}
