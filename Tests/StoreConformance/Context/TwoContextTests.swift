import SwiftData
import Testing

@Suite("Two contexts", .serialized)
struct TwoContextTests {
  @Test("each context sees saves of the other at its next fetch", arguments: Engine.allCases)
  func fetch(_ engine: Engine) throws {
    let store = try TestStore(engine)
    let here = store.context()
    let there = store.context()
    #expect(try there.titles() == [])
    here.insert(Book("Emma"))
    #expect(try there.titles() == [])
    try here.save()
    #expect(try there.titles() == ["Emma"])
    there.insert(Book("Ulysses"))
    try there.save()
    #expect(try here.titles() == ["Emma", "Ulysses"])
    here.delete(try here.book("Ulysses"))
    try here.save()
    #expect(try there.titles() == ["Emma"])
    #expect(try there.fetchCount(FetchDescriptor<Book>()) == 1)
  }

  @Test("a fetch refreshes an object that the other context saved", arguments: Engine.allCases)
  func refresh(_ engine: Engine) throws {
    let store = try TestStore(engine)
    let here = try store.save("Emma")
    let book = try here.book("Emma")
    let there = store.context()
    try there.book("Emma").pages = 7
    try there.save()
    #expect(try here.book("Emma") === book)
    #expect(book.pages == 7)
    #expect(!here.hasChanges)
  }

  @Test("a fetch leaves unsaved edits as they are", arguments: Engine.allCases)
  func ownEdits(_ engine: Engine) throws {
    let store = try TestStore(engine)
    let here = try store.save("Emma")
    let book = try here.book("Emma")
    book.pages = 1
    let there = store.context()
    try there.book("Emma").pages = 2
    try there.save()
    #expect(try here.book("Emma").pages == 1)
    try here.save()
    #expect(try store.context().book("Emma").pages == 1)
  }

  @Test("instances are separate, and equal by identifier", arguments: Engine.allCases)
  func instances(_ engine: Engine) throws {
    let store = try TestStore(engine)
    try store.save("Emma", "Ulysses")
    let here = try store.context().book("Emma")
    let there = try store.context().book("Emma")
    let other = try store.context().book("Ulysses")
    #expect(here !== there)
    #expect(here == there)
    #expect(here.hashValue == there.hashValue)
    #expect(here.persistentModelID == there.persistentModelID)
    #expect(here != other)
    #expect(Set([here, there, other]).count == 2)
  }

  @Test("many writers in many tasks lose nothing", arguments: Engine.allCases)
  func writers(_ engine: Engine) async throws {
    let store = try TestStore(engine)
    let container = store.container
    try await withThrowingTaskGroup(of: Void.self) { group in
      for writer in 0..<8 {
        group.addTask {
          for step in 0..<25 {
            let context = ModelContext(container)
            context.insert(Book("\(writer)-\(step)"))
            try context.save()
          }
        }
      }
      try await group.waitForAll()
    }
    #expect(Set(try store.storedTitles()).count == 200)
  }

  @Test("a concurrent reader sees complete saves only", arguments: Engine.allCases)
  func wholeSaves(_ engine: Engine) async throws {
    let store = try TestStore(engine)
    let container = store.container
    async let writing: Void = Task.detached {
      let context = ModelContext(container)
      for step in 0..<100 {
        for copy in 0..<10 { context.insert(Book("\(step)-\(copy)")) }
        try context.save()
      }
    }.value
    let counts = try await Task.detached {
      try (0..<200).map { _ in try ModelContext(container).fetchCount(FetchDescriptor<Book>()) }
    }.value
    try await writing
    #expect(counts.filter { $0 % 10 != 0 } == [])
    #expect(counts == counts.sorted())
    #expect(try store.context().fetchCount(FetchDescriptor<Book>()) == 1000)
  }
}
