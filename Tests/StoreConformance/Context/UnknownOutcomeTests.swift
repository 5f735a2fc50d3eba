import SwiftData
import Testing

@Suite("A connection that is lost before COMMIT is acknowledged")
struct UnknownOutcomeTests {
  /// Saves, and cuts the connection before COMMIT is acknowledged. `commits` decides whether the store applies the
  /// commit.
  private func saveWithoutAnswer(_ context: ModelContext, of store: TestStore, commits: Bool) {
    store.link.loseAnswer(commits: commits)
    #expect(throws: SwiftDataError.storeUnreachable) { try context.save() }
    #expect(context.hasChanges)
  }

  @Test("the next save completes the commit, and every model is stored once", arguments: [false, true], [false, true])
  func nextSave(_ commits: Bool, _ fetches: Bool) throws {
    let store = try TestStore(.remote)
    let context = try store.save("first", "second")
    try context.book("first").title = "changed"
    context.delete(try context.book("second"))
    let third = Book("third")
    context.insert(third)
    saveWithoutAnswer(context, of: store, commits: commits)
    #expect(try store.storedTitles() == (commits ? ["changed", "third"] : ["first", "second"]))
    if fetches { #expect(try context.titles() == ["changed", "third"]) }
    try context.save()
    #expect(!context.hasChanges)
    #expect(context.resolvedConflicts.isEmpty)
    #expect(try store.storedTitles() == ["changed", "third"])
    #expect(try context.book("third") === third)
    third.title = "fourth"
    try context.save()
    #expect(try store.storedTitles() == ["changed", "fourth"])
  }

  @Test(
    "the next save completes the commit after the connection was lost several times",
    arguments: [false, true], [false, true])
  func severalTimes(_ first: Bool, _ second: Bool) throws {
    let store = try TestStore(.remote)
    let context = store.context()
    let book = Book("first")
    context.insert(book)
    saveWithoutAnswer(context, of: store, commits: first)
    book.title = "changed"
    saveWithoutAnswer(context, of: store, commits: second)
    try context.save()
    #expect(try store.storedTitles() == ["changed"])
  }

  @Test("an autosave completes a commit whose acknowledgement was lost", arguments: [false, true])
  @MainActor
  func autosave(_ commits: Bool) async throws {
    let store = try TestStore(.remote)
    let clock = ManualClock()
    let context = store.container.mainContext
    context.autosaveClock = clock
    context.insert(Book("first"))
    store.link.loseAnswer(commits: commits)
    await clock.advance(by: .milliseconds(500))
    #expect(context.hasChanges)
    context.insert(Book("second"))
    await clock.advance(by: .seconds(3))
    #expect(!context.hasChanges)
    #expect(try store.storedTitles() == ["first", "second"])
  }

  @Test(
    "the autosave of a released context completes a commit whose acknowledgement was lost", arguments: [false, true])
  func endOfContext(_ commits: Bool) throws {
    let store = try TestStore(.remote)
    do {
      let context = store.context()
      context.autosaveEnabled = true
      context.insert(Book("first"))
      saveWithoutAnswer(context, of: store, commits: commits)
    }
    #expect(try store.storedTitles() == ["first"])
  }

  @Test("a new model that is deleted after the lost commit leaves no row", arguments: [false, true])
  func deletion(_ commits: Bool) throws {
    let store = try TestStore(.remote)
    let context = store.context()
    let (first, second) = (Book("first"), Book("second"))
    context.insert(first)
    context.insert(second)
    saveWithoutAnswer(context, of: store, commits: commits)
    context.delete(first)
    #expect(try context.titles() == ["second"])
    context.delete(second)
    try context.save()
    #expect(!context.hasChanges)
    #expect(try store.storedTitles().isEmpty)
  }

  @Test("a rollback after the lost commit restores the values that the store has", arguments: [false, true])
  func rollback(_ commits: Bool) throws {
    let store = try TestStore(.remote)
    let context = try store.save("first")
    let first = try context.book("first")
    first.title = "changed"
    context.insert(Book("second"))
    saveWithoutAnswer(context, of: store, commits: commits)
    context.rollback()
    #expect(first.title == (commits ? "changed" : "first"))
    #expect(try context.titles() == (commits ? ["changed", "second"] : ["first"]))
    #expect(try store.storedTitles() == context.titles())
  }

  @Test("other contexts are notified of the lost commit and read their rows again", arguments: [false, true])
  func otherContexts(_ commits: Bool) throws {
    let store = try TestStore(.remote)
    let context = try store.save("first")
    let other = store.context()
    let read = try other.book("first")
    try context.book("first").title = "changed"
    saveWithoutAnswer(context, of: store, commits: commits)
    _ = try other.fetchCount(FetchDescriptor<Book>())
    #expect(read.title == (commits ? "changed" : "first"))
    try context.save()
    _ = try other.fetchCount(FetchDescriptor<Book>())
    #expect(read.title == "changed")
  }

  /// Creates a store in a file, with one book. If a commit is delayed, the store's connections read the old rows until
  /// the commit is applied.
  private func fileStore(_ link: RemoteLink) throws -> ModelContainer {
    let url = try TestStore.makeFolder().appending(path: "books.store")
    let schema = Schema(libraryModels)
    let configuration = RemoteConfiguration(ModelConfiguration(schema: schema, url: url), link: link)
    let container = try ModelContainer(for: schema, engines: [configuration])
    let context = ModelContext(container)
    context.insert(Book("first"))
    try context.save()
    return container
  }

  @Test("if a lost commit is applied only after other contexts were notified, their saves conflict with it")
  func lateCommit() throws {
    let link = RemoteLink()
    let container = try fileStore(link)
    let (context, other) = (ModelContext(container), ModelContext(container))
    let read = try other.book("first")
    try context.book("first").title = "changed"
    link.delayCommit()
    #expect(throws: SwiftDataError.storeUnreachable) { try context.save() }
    // The other context handles the notification and reads the store's rows, which the commit has not changed yet.
    #expect(try other.fetchCount(FetchDescriptor<Book>()) == 1)
    #expect(read.title == "first")
    let late = ModelContext(container)
    let readLate = try late.book("first")
    other.conflictPolicy = .throwError
    late.conflictPolicy = .throwError
    for (saving, book) in [(late, readLate), (other, read)] {
      book.title = "theirs"
      #expect(throws: SwiftDataError.conflictingChanges) { try saving.save() }
      #expect(try ModelContext(container).titles() == ["changed"])
    }
  }

  @Test("if a lost commit is applied only after other contexts were notified, they are notified again")
  func lateNews() throws {
    let link = RemoteLink()
    let container = try fileStore(link)
    let (context, other, third) = (ModelContext(container), ModelContext(container), ModelContext(container))
    let read = try other.book("first")
    try context.book("first").title = "changed"
    link.delayCommit()
    #expect(throws: SwiftDataError.storeUnreachable) { try context.save() }
    #expect(try other.fetchCount(FetchDescriptor<Book>()) == 1)
    #expect(read.title == "first")
    third.insert(Book("second"))
    try third.save()
    #expect(try other.fetchCount(FetchDescriptor<Book>()) == 2)
    #expect(read.title == "changed")
    try context.save()
    #expect(try ModelContext(container).titles() == ["changed", "second"])
  }

  @Test(
    "the next save keeps other contexts' later changes if the conflict policy prefers them", arguments: [false, true])
  func conflicts(_ commits: Bool) throws {
    let store = try TestStore(.remote)
    let context = try store.save("first")
    context.conflictPolicy = .mergeByProperty(keeping: .theirs)
    try context.book("first").title = "changed"
    saveWithoutAnswer(context, of: store, commits: commits)
    let other = store.context()
    let theirs = try #require(try other.fetch(FetchDescriptor<Book>()).first)
    (theirs.title, theirs.pages) = ("theirs", 7)
    try other.save()
    try context.save()
    #expect(context.resolvedConflicts.map(\.theirs) == ["\"theirs\""])
    #expect(try store.storedTitles() == ["theirs"])
    #expect(try context.book("theirs").pages == 7)
  }

  @Test(
    "the next save stores unique values, references, many-to-many pairs and the order of lists as in memory",
    arguments: [false, true])
  func graph(_ commits: Bool) throws {
    let store = try TestStore(.remote, graphModels + [Card.self])
    let context = store.context()
    let old = Course("a")
    context.insert(old)
    try context.save()
    let student = Student("s")
    context.insert(student)
    student.courses = [Course("c"), old, Course("b")]
    context.insert(Ware("w", shop: Shop("x")))
    context.insert(Card(number: 1, holder: "one"))
    saveWithoutAnswer(context, of: store, commits: commits)
    student.courses.swapAt(0, 2)
    try context.save()
    let stored = store.context()
    let students = try stored.fetch(FetchDescriptor<Student>())
    #expect(students.map { $0.courses.map(\.name) } == [["b", "a", "c"]])
    #expect(try stored.fetch(FetchDescriptor<Course>()).allSatisfy { $0.students.map(\.name) == ["s"] })
    #expect(try stored.fetchCount(FetchDescriptor<Course>()) == 3)
    #expect(try stored.fetch(FetchDescriptor<Shop>()).map { $0.wares.map(\.name) } == [["w"]])
    #expect(try stored.fetch(FetchDescriptor<Card>()).map(\.holder) == ["one"])
  }

  @Test(
    "identifiers of a row from before and after the lost commit are equal and have equal hashes",
    arguments: RemoteKeys.Order.allCases)
  func identifiers(_ order: RemoteKeys.Order) throws {
    let store = try TestStore(.remote, libraryModels, link: RemoteLink(keys: RemoteKeys(order)))
    let context = store.context()
    let book = Book("first")
    context.insert(book)
    let early = book.persistentModelID
    saveWithoutAnswer(context, of: store, commits: true)
    let fetched = try store.context().book("first").persistentModelID
    try context.save()
    let later = try store.context().book("first").persistentModelID
    let all = [early, fetched, book.persistentModelID, later]
    for identifier in all {
      #expect(all.allSatisfy { identifier != $0 || identifier.hashValue == $0.hashValue })
    }
    #expect(later == fetched)
    #expect(context[early, as: Book.self] === book)
  }

  @Test(
    "if a transaction's commit is lost, changes that were pending before the transaction stay pending once",
    arguments: [false, true])
  func transactions(_ commits: Bool) throws {
    let store = try TestStore(.remote)
    let context = store.context()
    let first = Book("first")
    context.insert(first)
    store.link.loseAnswer(commits: commits)
    #expect(throws: SwiftDataError.storeUnreachable) {
      try context.transaction { first.pages = 7 }
    }
    #expect(first.pages == 100)
    #expect(context.insertedTitles == ["first"])
    try context.save()
    #expect(try store.storedTitles() == ["first"])
    #expect(try store.context().book("first").pages == 100)
  }

  @Test(
    "the error lists the store with the unknown outcome separately from the saved stores", arguments: [false, true])
  func severalStores(_ commits: Bool) throws {
    let links = [RemoteLink(), RemoteLink()]
    let container = try ModelContainer(
      for: Schema([Book.self, Card.self]),
      engines: [
        RemoteConfiguration(
          ModelConfiguration("books", schema: Schema([Book.self]), isStoredInMemoryOnly: true), link: links[0]),
        RemoteConfiguration(
          ModelConfiguration("cards", schema: Schema([Card.self]), isStoredInMemoryOnly: true), link: links[1]),
      ])
    let context = ModelContext(container)
    context.insert(Book("first"))
    context.insert(Card(number: 1, holder: "one"))
    links[1].loseAnswer(commits: commits)
    let error = #expect(throws: SwiftDataError.self) { try context.save() }
    let text = "\(try #require(error))"
    #expect(text.contains("Saved: ") && text.contains("Not known: ") && !text.contains("Not saved: "), "\(text)")
    #expect(context.hasChanges && context.insertedTitles.isEmpty)
    try context.save()
    let stored = ModelContext(container)
    #expect(try stored.titles() == ["first"])
    #expect(try stored.fetch(FetchDescriptor<Card>()).map(\.holder) == ["one"])
  }
}
