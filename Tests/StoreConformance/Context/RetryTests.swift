import SwiftData
import Testing

@Suite("A save that fails because of a concurrent transaction")
struct RetryTests {
  @Test(
    "the save is retried from the start, regardless of the call that failed",
    arguments: [RemoteCall.begin, .reserveKeys, .insert, .update, .delete, .commit])
  func runsAgain(_ call: RemoteCall) throws {
    let store = try TestStore(.remote)
    let context = try store.save("first", "second")
    try context.book("first").title = "changed"
    context.delete(try context.book("second"))
    let third = Book("third")
    context.insert(third)
    store.link.refuse(call, times: 2)
    try context.save()
    #expect(store.link.retryCount == 2)
    #expect(!context.hasChanges)
    #expect(try store.storedTitles() == ["changed", "third"])
    third.title = "fourth"
    try context.save()
    #expect(try store.storedTitles() == ["changed", "fourth"])
  }

  @Test("the retry merges the changes that the other transaction committed")
  func merges() throws {
    let store = try TestStore(.remote)
    store.link.beginsLate = true
    let container = store.container
    let context = try store.save("read")
    let book = try context.book("read")
    book.title = "ours"
    store.link.before(.lock) {
      let other = ModelContext(container)
      let book = try other.book("read")
      (book.title, book.pages) = ("theirs", 7)
      try other.save()
      throw RemoteConflict.error
    }
    try context.save()
    #expect(store.link.retryCount == 1)
    #expect(book.pages == 7)
    #expect(context.resolvedConflicts.map(\.theirs) == ["\"theirs\""])
    let stored = try store.context().book("ours")
    #expect(stored.pages == 7)
  }

  @Test("the retry fetches and compares rows that the context assumed to be current")
  func compares() throws {
    let store = try TestStore(.remote)
    let context = try store.save("read")
    let book = try context.book("read")
    book.title = "ours"
    store.link.refuse(.update)
    let trips = Log<RemoteCall>()
    store.link.before(.fetch) { trips.add(.fetch) }
    try context.save()
    #expect(trips.entries == [.fetch])
    #expect(context.resolvedConflicts.isEmpty)
    #expect(try store.storedTitles() == ["ours"])
  }

  @Test("the save is retried with checks of unique values if its attempt without them conflicts with another row")
  func uniqueValues() throws {
    let store = try TestStore(.remote, [Card.self])
    let context = store.context()
    context.insert(Card(number: 1, holder: "one"))
    try context.save()
    store.link.isOptimistic = true
    let other = store.context()
    other.insert(Card(number: 1, holder: "two"))
    other.insert(Card(number: 2, holder: "three"))
    try other.save()
    #expect(store.link.retryCount == 1)
    let stored = try store.context().fetch(FetchDescriptor<Card>(sortBy: [SortDescriptor(\.number)]))
    #expect(stored.map(\.holder) == ["two", "three"])
  }

  @Test("the save is retried a limited number of times, then throws and keeps its changes pending")
  func bound() throws {
    let store = try TestStore(.remote)
    let context = try store.save("first")
    try context.book("first").title = "changed"
    context.insert(Book("second"))
    store.link.refuse(.commit, times: 20)
    let error = #expect(throws: SwiftDataError.self) { try context.save() }
    #expect(error?.underlyingError is RemoteConflict)
    #expect(store.link.retryCount == 3)
    #expect(context.insertedTitles == ["second"] && context.changedTitles == ["changed"])
    store.link.forgetActions()
    #expect(try store.storedTitles() == ["first"])
    try context.save()
    #expect(try store.storedTitles() == ["changed", "second"])
  }

  @Test("a save that fails with another error is not retried")
  func otherErrors() throws {
    let store = try TestStore(.remote)
    let context = store.context()
    context.insert(Book("first"))
    store.link.before(.commit) { throw Failure() }
    #expect(throws: Failure.self) { try context.save() }
    #expect(store.link.retryCount == 0)
  }

  @Test("a save in a transaction is not retried, and the transaction's block runs once")
  func transactions() throws {
    let store = try TestStore(.remote)
    let context = store.context()
    let runs = Counter()
    store.link.refuse(.insert)
    #expect(throws: SwiftDataError.storeFailure) {
      try context.transaction {
        _ = runs.next()
        context.insert(Book("first"))
      }
    }
    #expect(runs.next() == 2)
    #expect(store.link.retryCount == 0)
    #expect(try store.storedTitles().isEmpty)
  }

  @Test("the save is retried even if code in the failed attempt could not read a property")
  func failedReads() throws {
    let store = try TestStore(.remote, [Shop.self, Ware.self, Trap.self])
    let writer = store.context()
    writer.insert(Shop("corner", wares: [Ware("a")]))
    writer.insert(Trap(1))
    try writer.save()
    let context = store.context()
    let shop = try context.one("corner", Shop.self)
    let trap = try #require(try context.fetch(FetchDescriptor<Trap>()).first)
    nonisolated(unsafe) let unsafeShop = shop
    let (counts, link) = (Log<Int>(), store.link)
    Tripwire.watch {
      let isFirst = counts.entries.isEmpty
      if isFirst { link.refuse(.members, times: 20) }
      counts.add(unsafeShop.wares.count)
      guard isFirst else { return }
      link.forgetActions()
      link.refuse(.commit)
    } during: {
      shop.name = "changed"
      trap.wire = Tripwire(2)
      #expect(throws: Never.self) { try context.save() }
    }
    #expect(counts.entries.first == 0 && counts.entries.last == 1)
    #expect(store.link.retryCount >= 1)
    #expect(!context.hasChanges)
    #expect(try store.context().one("changed", Shop.self).wares.names == ["a"])
  }

  @Test("the last save of a released context is retried")
  func endOfContext() throws {
    let store = try TestStore(.remote)
    store.link.refuse(.commit)
    do {
      let context = store.context()
      context.autosaveEnabled = true
      context.insert(Book("first"))
    }
    #expect(store.link.retryCount == 1)
    #expect(try store.storedTitles() == ["first"])
  }
}
