import SwiftData
import Testing

@Suite("The test engine that simulates a remote database")
struct RemoteEngineTests {
  @Test("the keys of successive rows have gaps between them")
  func gaps() throws {
    let store = try TestStore(.remote)
    let context = store.context()
    let books = ["a", "b", "c"].map { Book($0) }
    for book in books {
      context.insert(book)
      try context.save()
    }
    let keys = books.map { $0._$state.pointee.primaryKey }
    #expect(zip(keys, keys.dropFirst()).allSatisfy { $1 > $0 + 1 }, "\(keys)")
  }

  @Test("a save whose connection is lost at any round trip stores all of its changes or none")
  func loss() throws {
    let store = try TestStore(.remote)
    let context = try store.save("first", "second")
    try context.book("first").title = "changed"
    context.delete(try context.book("second"))
    context.insert(Book("third"))
    var losses = 0
    for trip in 1...100 {
      store.link.go(atTrip: trip)
      do {
        try context.save()
        break
      } catch {
        #expect(error as? SwiftDataError == .storeUnreachable, "\(error)")
        losses += 1
      }
      store.link.stay()
      #expect(context.hasChanges)
      #expect(try store.storedTitles() == ["first", "second"])
    }
    store.link.stay()
    #expect((4..<100).contains(losses), "\(losses)")
    #expect(!context.hasChanges)
    #expect(try store.storedTitles() == ["changed", "third"])
  }

  @Test(
    "other contexts can commit before a transaction, and during a transaction that begins late",
    arguments: [false, true])
  func commitsBetween(_ beginsLate: Bool) throws {
    let store = try TestStore(.remote)
    store.link.beginsLate = beginsLate
    let container = store.container
    let context = store.context()
    context.insert(Book("ours"))
    store.link.before(beginsLate ? .reserveKeys : .begin) {
      let other = ModelContext(container)
      other.insert(Book("theirs"))
      try other.save()
    }
    try context.save()
    #expect(try store.storedTitles() == ["ours", "theirs"])
  }

  @Test("a save detects conflicts with a commit that another context makes before the save locks its rows")
  func commitsToRows() throws {
    let store = try TestStore(.remote)
    store.link.beginsLate = true
    let container = store.container
    let context = try store.save("read")
    context.conflictPolicy = .throwError
    try context.book("read").title = "ours"
    store.link.before(.lock) {
      let other = ModelContext(container)
      try other.book("read").title = "theirs"
      try other.save()
    }
    #expect(throws: SwiftDataError.conflictingChanges) { try context.save() }
    #expect(try store.storedTitles() == ["theirs"])
    context.conflictPolicy = .mergeByProperty(keeping: .ours)
    try context.save()
    #expect(try store.storedTitles() == ["ours"])
    #expect(context.resolvedConflicts.map(\.theirs) == ["\"theirs\""])
  }

  @Test("a statement's error aborts the transaction, and the save continues after it rolls back to a savepoint")
  func abortion() throws {
    let store = try TestStore(.remote, [Card.self])
    let context = store.context()
    let (one, two) = (Card(number: 1, holder: "one"), Card(number: 2, holder: "two"))
    context.insert(one)
    context.insert(two)
    try context.save()
    let hasReturned = Flag()
    store.link.before(.rollBackToSavepoint) { hasReturned.raise() }
    (one.number, two.number) = (2, 1)
    try context.save()
    #expect(hasReturned.isRaised)
    let stored = try store.context().fetch(FetchDescriptor<Card>(sortBy: [SortDescriptor(\.number)]))
    #expect(stored.map(\.holder) == ["two", "one"])
  }

  @Test("inserting a hundred rows takes as many round trips as inserting one")
  func batches() throws {
    let store = try TestStore(.remote)
    let context = store.context()
    func trips(_ count: Int) throws -> Int {
      let before = store.link.tripCount
      for number in 0..<count { context.insert(Book("\(number)")) }
      try context.save()
      return store.link.tripCount - before
    }
    // A context's first save may need more round trips, so it is not counted.
    _ = try trips(1)
    let one = try trips(1)
    #expect(try trips(100) == one)
  }

  @Test("reading a loaded property takes no round trip")
  func trips() throws {
    let store = try TestStore(.remote)
    let context = try store.save("a")
    let book = try context.book("a")
    #expect(store.link.yields)
    let count = store.link.tripCount
    #expect(book.title == "a" && store.link.tripCount == count)
    _ = try context.titles()
    #expect(store.link.tripCount > count)
  }
}
