import OpenSwiftData
import Testing

@Suite("Observers that change or save models while a fetch refreshes an observed property") @MainActor
struct RefreshObserverTests {
  /// Runs `body` once, just before one of the properties that `read` reads changes for the first time.
  private func observe<Value>(_ read: @autoclosure () -> Value, _ body: @escaping () -> Void) {
    let runs = Log<Bool>()
    nonisolated(unsafe) let unsafeBody = body
    withObservationTracking {
      _ = read()
    } onChange: {
      guard runs.entries.isEmpty else { return }
      runs.add(true)
      unsafeBody()
    }
  }

  @Test("an attribute that the observer sets keeps the observer's value", arguments: Engine.allCases)
  func attribute(_ engine: Engine) throws {
    let store = try TestStore(engine)
    let other = try store.save("first")
    let context = store.context()
    let book = try context.book("first")
    observe(book.pages) { book.pages = 9 }
    try other.book("first").pages = 7
    try other.book("first").subtitle = "new"
    try other.save()
    _ = try context.fetch(FetchDescriptor<Book>())
    #expect(book.pages == 9)
    #expect(book.subtitle == "new")
    try context.save()
    #expect(try store.context().book("first").pages == 9)
  }

  @Test("a list that the observer changes keeps the observer's change", arguments: Engine.allCases)
  func list(_ engine: Engine) throws {
    let store = try TestStore(engine, graphModels)
    let context = store.context()
    let (student, course): (Student, Course) = (Student("s"), Course("c"))
    context.insert(student)
    student.courses = [course]
    context.insert(Student("new"))
    try context.save()
    let reader = store.context()
    let (known, added): (Course, Student) = (try reader.one("c"), try reader.one("new"))
    observe(known.students.count) { known.students.append(added) }
    // The fetch reads the row again and unloads its list, which notifies the observer.
    _ = try reader.fetch(FetchDescriptor<Course>())
    #expect(known.students.map(\.name).sorted() == ["new", "s"])
    try reader.save()
    #expect(!reader.hasChanges)
    let stored: Course = try store.context().one("c")
    #expect(stored.students.map(\.name).sorted() == ["new", "s"])
  }

  @Test("a to-one relationship that the observer sets keeps the observer's object", arguments: Engine.allCases)
  func reference(_ engine: Engine) throws {
    let store = try TestStore(engine, graphModels)
    let other = store.context()
    let (driver, first, second): (Driver, Car, Car) = (Driver("d"), Car("first"), Car("second"))
    for model in [driver, first, second] as [any PersistentModel] { other.insert(model) }
    try other.save()
    let context = store.context()
    let (known, wanted): (Driver, Car) = (try context.one("d"), try context.one("second"))
    observe(known.car) { known.car = wanted }
    driver.car = first
    try other.save()
    _ = try context.fetch(FetchDescriptor<Driver>())
    #expect(known.car === wanted)
    #expect(wanted.driver === known)
    try context.save()
    let stored: Driver = try store.context().one("d")
    #expect(stored.car?.name == "second")
  }

  @Test("if the observer saves its changes, the fetch reads the refreshed row again", arguments: Engine.allCases)
  func saved(_ engine: Engine) throws {
    let store = try TestStore(engine)
    let other = try store.save("first", "second")
    let context = store.context()
    let (first, second) = (try context.book("first"), try context.book("second"))
    observe(first.pages) {
      first.pages = 9
      first.subtitle = "mine"
      second.pages = 8
      #expect(throws: Never.self) { try context.save() }
    }
    try other.save(pages: 7, of: "first", "second")
    _ = try context.fetch(FetchDescriptor<Book>(sortBy: [SortDescriptor(\.title)]))
    #expect(!context.hasChanges)
    #expect(first.pages == 9)
    #expect(second.pages == 8)
    #expect(first.subtitle == "mine")
    let stored = try store.context().fetch(FetchDescriptor<Book>(sortBy: [SortDescriptor(\.title)]))
    #expect(stored.map(\.pages) == [9, 8])
    // The value in memory equals the stored value 9, so that incrementing it causes no conflict.
    first.pages += 1
    try context.save()
    #expect(context.resolvedConflicts.isEmpty)
    #expect(try store.context().book("first").pages == 10)
  }

  @Test("if the observer saves in a transaction, the fetch reads the refreshed row again", arguments: Engine.allCases)
  func savedInTransaction(_ engine: Engine) throws {
    let store = try TestStore(engine)
    let other = try store.save("first")
    let context = store.context()
    let book = try context.book("first")
    observe(book.pages) {
      book.pages = 9
      #expect(throws: Never.self) { try context.save() }
    }
    try other.save(pages: 7, of: "first")
    try context.transaction {
      _ = try context.fetch(FetchDescriptor<Book>())
      #expect(book.pages == 9)
      book.pages += 1
      try context.save()
      #expect(context.resolvedConflicts.isEmpty)
    }
    #expect(try store.context().book("first").pages == 10)
  }

  @Test(
    "if the observer saves while a list is being loaded, the refreshed row of the list is read again",
    arguments: Engine.allCases)
  func savedInList(_ engine: Engine) throws {
    let store = try TestStore(engine, graphModels)
    let other = store.context()
    let (student, course): (Student, Course) = (Student("s"), Course("c"))
    other.insert(student)
    student.courses = [course]
    try other.save()
    let context = store.context()
    let (known, list): (Student, Course) = (try context.one("s"), try context.one("c"))
    observe(known.name) {
      known.name = "mine"
      #expect(throws: Never.self) { try context.save() }
    }
    student.name = "theirs"
    try other.save()
    #expect(list.students.map(\.name) == ["mine"])
    #expect(known.name == "mine")
    try context.save()
    #expect(try store.context().fetch(FetchDescriptor<Student>()).map(\.name) == ["mine"])
  }

  @Test(
    "the result of a fetch omits a row that the observer deletes before the fetch reads it", arguments: Engine.allCases)
  func deleted(_ engine: Engine) throws {
    let store = try TestStore(engine)
    let other = try store.save("first", "second")
    let context = store.context()
    let (first, second) = (try context.book("first"), try context.book("second"))
    observe(first.pages) {
      context.delete(second)
      #expect(throws: Never.self) { try context.save() }
    }
    try other.save(pages: 7, of: "first", "second")
    // Within a transaction, the context does not apply changes of other contexts before the fetch. So the observer runs
    // while the fetch reads the first row.
    try context.transaction {
      let found = try context.fetch(FetchDescriptor<Book>(sortBy: [SortDescriptor(\.title)]))
      #expect(found.map(\.title) == ["first"])
    }
    #expect(second.isDeleted)
    #expect(first.pages == 7)
  }

  @Test(
    "an observer that saves at each notification does not make the fetch read the row endlessly",
    arguments: Engine.allCases)
  func savesAlways(_ engine: Engine) throws {
    let store = try TestStore(engine)
    let other = try store.save("first")
    let context = store.context()
    let book = try context.book("first")
    let runs = Log<Int>()
    nonisolated(unsafe) let (unsafeBook, unsafeContext) = (book, context)
    nonisolated(unsafe) var isRunning = false
    @Sendable func observe() {
      withObservationTracking {
        _ = unsafeBook.pages
      } onChange: {
        // The observer's own change calls this closure again, because Observation has not removed the registration yet.
        guard !isRunning, runs.entries.count < 50 else { return }
        isRunning = true
        defer { isRunning = false }
        runs.add(1)
        // If a save is applying the other context's value, it rejects this nested save.
        unsafeBook.subtitle = "\(runs.entries.count)"
        unsafeBook.pages += 100
        try? unsafeContext.save()
        observe()
      }
    }
    observe()
    try other.save(pages: 7, of: "first")
    _ = try context.fetch(FetchDescriptor<Book>())
    #expect((1..<50).contains(runs.entries.count))
    // The observer is disabled now. After a fetch, the object and its row must have the same values.
    isRunning = true
    let stored = try store.context().book("first")
    _ = try context.fetch(FetchDescriptor<Book>())
    #expect(stored.subtitle == book.subtitle)
    #expect(stored.pages == book.pages)
    #expect(!context.hasChanges)
  }

  @Test(
    "both ends of a relationship agree if one end was read before another context changed the relationship",
    arguments: Engine.allCases)
  func outdatedEnd(_ engine: Engine) throws {
    let store = try TestStore(engine, graphModels)
    let other = store.context()
    let (student, course): (Student, Course) = (Student("s"), Course("c"))
    other.insert(student)
    other.insert(course)
    try other.save()
    let reader = store.context()
    let (known, list): (Student, Course) = (try reader.one("s"), try reader.one("c"))
    #expect(list.students.isEmpty)
    student.courses.append(course)
    try other.save()
    #expect(known.courses.map(\.name) == ["c"])
    #expect(list.students.map(\.name) == ["s"])
    list.students.append(known)
    #expect(known.courses.map(\.name) == ["c"])
  }
}

extension ModelContext {
  /// Sets the number of pages of the books with these titles, and saves.
  fileprivate func save(pages: Int, of titles: String...) throws {
    for title in titles { try book(title).pages = pages }
    try save()
  }
}
