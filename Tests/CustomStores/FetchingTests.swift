import PersistenceCore
import SwiftData
import Testing

@Suite("Fetches from a custom store")
struct FetchingTests {
  private func titles(_ context: ModelContext, _ descriptor: FetchDescriptor<Book>) throws -> [String] {
    try context.fetch(descriptor).map(\.title)
  }

  private func book(_ title: String, _ context: ModelContext) throws -> Book {
    try #require(try context.fetch(FetchDescriptor<Book>(predicate: #Predicate { $0.title == title })).first)
  }

  @Test("a fetch passes the descriptor to the store, and keeps the store's order")
  func descriptor() throws {
    let lab = try StoreLab()
    try lab.fill(["c", "a", "b", "d"])
    let context = lab.context()
    var descriptor = FetchDescriptor<Book>(
      predicate: #Predicate { $0.pages > 100 }, sortBy: [SortDescriptor(\.title, order: .reverse)])
    descriptor.fetchLimit = 2
    descriptor.fetchOffset = 1
    #expect(try titles(context, descriptor) == ["b", "a"])
    let asked = try #require(lab.script.with(\.descriptors).last as? FetchDescriptor<Book>)
    #expect(asked == descriptor)
    #expect(lab.script.calls.filter { $0 == "fetch Book" }.count == 1)
    lab.script.with { $0.change = { $0.reversed() } }
    #expect(try titles(context, descriptor) == ["a", "b"])
    #expect(try titles(context, FetchDescriptor()) == ["d", "b", "a", "c"])
  }

  @Test(
    "a fetch has the same result if the store leaves filtering or sorting to the library",
    arguments: [true, false], [true, false])
  func inMemory(_ filter: Bool, _ sort: Bool) throws {
    let lab = try StoreLab()
    try lab.fill(["c", "a", "b", "d"])
    lab.script.with { state in
      state.prefersFilter = filter
      state.prefersSort = sort
    }
    let context = lab.context()
    var descriptor = FetchDescriptor<Book>(
      predicate: #Predicate { $0.pages > 100 }, sortBy: [SortDescriptor(\.title, order: .reverse)])
    descriptor.fetchLimit = 2
    descriptor.fetchOffset = 1
    #expect(try titles(context, descriptor) == ["b", "a"])
    #expect(try context.fetchCount(descriptor) == 2)
    let last = try #require(lab.script.with(\.descriptors).last as? FetchDescriptor<Book>)
    #expect((last.predicate == nil) == filter && last.sortBy.isEmpty == sort)
    #expect(last.fetchLimit == (filter || sort ? nil : 2))
    #expect(
      try context.fetchIdentifiers(descriptor).compactMap { (context.model(for: $0) as? Book)?.title } == ["b", "a"])
    // This predicate can only be evaluated in memory.
    descriptor.predicate = #Predicate { $0.title.description.count == 1 && $0.pages > 100 }
    #expect(try titles(context, descriptor) == ["b", "a"])
  }

  @Test("a fetch whose predicate follows relationships has the same result in memory")
  func relatedCondition() throws {
    let lab = try StoreLab()
    try lab.fill()
    let other = lab.context()
    other.insert(Book("Ulysses", author: Author("James Joyce")))
    try other.save()
    lab.script.with { $0.prefersFilter = true }
    let context = lab.context()
    let descriptor = FetchDescriptor<Book>(predicate: #Predicate { $0.author?.name == "James Joyce" })
    #expect(try titles(context, descriptor) == ["Ulysses"])
    let joyce = try #require(
      try context.fetch(FetchDescriptor<Author>(predicate: #Predicate { $0.name == "James Joyce" })).first)
    let identifier = joyce.persistentModelID
    #expect(
      try titles(context, FetchDescriptor(predicate: #Predicate { $0.author?.persistentModelID == identifier })) == [
        "Ulysses"
      ])
    let busy = FetchDescriptor<Author>(predicate: #Predicate { $0.books.count > 1 })
    #expect(try context.fetch(busy).map(\.name) == ["Jane Austen"])
  }

  @Test("a fetch includes unsaved changes")
  func pendingChanges() throws {
    let lab = try StoreLab()
    try lab.fill(["c", "a", "b", "d"])
    let context = lab.context()
    let all = try context.fetch(FetchDescriptor<Book>())
    context.delete(all[1])
    all[2].title = "z"
    context.insert(Book("y"))
    var descriptor = FetchDescriptor<Book>(sortBy: [SortDescriptor(\.title)])
    #expect(try titles(context, descriptor) == ["c", "d", "y", "z"])
    #expect(try context.fetchCount(descriptor) == 4)
    descriptor.fetchLimit = 2
    #expect(try titles(context, descriptor) == ["c", "d"])
    descriptor.includePendingChanges = false
    #expect(try context.fetchIdentifiers(descriptor).count == 2)
  }

  @Test("related models are loaded when the program reads them", arguments: [false, true])
  func faults(_ isCaching: Bool) throws {
    let lab = try StoreLab { $0.isCaching = isCaching }
    try lab.fill()
    // The new container has no snapshots in memory; only the store has the rows.
    let fresh = try ModelContainer(for: Schema(libraryModels), configurations: [MemoryConfiguration(lab.script)])
    let context = ModelContext(fresh)
    let book = try #require(
      try context.fetch(FetchDescriptor<Book>(predicate: #Predicate { $0.title == "Emma" })).first)
    lab.script.forgetCalls()
    #expect(book.author?.name == "Jane Austen")
    #expect(lab.script.calls.contains("cached 1") && lab.script.calls.contains("fetch Author") == !isCaching)
    #expect(book.author?.books.map(\.title) == ["Emma", "Persuasion", "Lady Susan"])
  }

  @Test("related models are loaded by their identifiers, without fetching the whole entity")
  func identified() throws {
    let lab = try StoreLab { $0.findsIdentifiers = true }
    try lab.fill()
    let writer = lab.context()
    for book in try writer.fetch(FetchDescriptor<Book>()) {
      book.tags = [Tag("\(book.title) 1"), Tag("\(book.title) 2")]
    }
    try writer.save()
    let fresh = try lab.fresh()
    let context = fresh.context()
    let emma = FetchDescriptor<Book>(predicate: #Predicate { $0.title == "Emma" })
    let book = try #require(try context.fetch(emma).first)
    lab.script.forgetCalls()
    #expect(book.author?.name == "Jane Austen")
    #expect(lab.script.calls == ["cached 1", "find 1 of Author"])
    #expect(book.author?.books.map(\.title) == ["Emma", "Persuasion", "Lady Susan"])
    #expect(lab.script.calls.suffix(2) == ["cached 2", "find 2 of Book"])
    #expect(book.tags.map(\.word) == ["Emma 1", "Emma 2"])
    // The same call also fetches the tags of the other books that the context has read.
    #expect(lab.script.calls.suffix(2) == ["cached 6", "find 6 of Tag"])
    #expect(!lab.script.calls.contains { $0.hasPrefix("fetch") })
    // If the store finds other requested identifiers but not this one, the model of this one does not exist.
    let lost = try #require(book.author?.books.last)
    lab.script.with { state in state.rows.removeAll { $0.persistentIdentifier == lost.persistentModelID } }
    let reader = try lab.fresh().context()
    let again = try #require(try reader.fetch(emma).first)
    #expect(again.author?.books.map(\.title) == ["Emma", "Persuasion"])
    #expect(!lab.script.calls.contains("fetch Author"))
  }

  @Test("models are not marked as deleted if the store fails while it looks for them", arguments: [false, true])
  func unanswered(_ isRefusal: Bool) throws {
    struct Outage: Error {}
    let lab = try StoreLab { $0.findsIdentifiers = true }
    try lab.fill(["a", "b"])
    let writer = lab.context()
    writer.insert(Book("c", author: Author("James Joyce")))
    try writer.save()
    let context = try lab.fresh().context()
    #expect(try book("a", context).author?.name == "Jane Austen")
    let other = try book("c", context)
    lab.script.with { state in
      state.findsIdentifiers = !isRefusal
      state.prefersFilter = isRefusal
      state.failure = isRefusal ? nil : Outage()
    }
    if isRefusal {
      #expect(other.author?.name == "James Joyce")
    } else {
      _ = other.author?.name
      #expect(other.author?.isDeleted == false)
      lab.script.with { $0.failure = nil }
      #expect(other.author?.name == "James Joyce")
    }
  }

  @Test("if the store cannot find identifiers, the library fetches the whole entity, and tries identifiers only once")
  func unidentified() throws {
    let lab = try StoreLab()
    try lab.fill()
    let context = try lab.fresh().context()
    let books = try context.fetch(FetchDescriptor<Book>())
    #expect(books.first?.author?.name == "Jane Austen")
    #expect(lab.script.calls.filter { $0 == "fetch Author" }.count == 2)
    let second = Author("James Joyce")
    let writer = lab.context()
    writer.insert(second)
    second.books = [Book("Ulysses")]
    try writer.save()
    lab.script.forgetCalls()
    let other = try #require(
      try context.fetch(FetchDescriptor<Book>(predicate: #Predicate { $0.title == "Ulysses" })).first)
    #expect(other.author?.name == "James Joyce")
    #expect(lab.script.calls.filter { $0 == "fetch Author" }.count == 1)
  }

  @Test("related snapshots that the store returned are used without a separate fetch")
  func related() throws {
    let lab = try StoreLab { $0.returnsRelated = true }
    try lab.fill()
    let fresh = try ModelContainer(for: Schema(libraryModels), configurations: [MemoryConfiguration(lab.script)])
    let context = ModelContext(fresh)
    let book = try #require(try context.fetch(FetchDescriptor<Book>()).first)
    lab.script.forgetCalls()
    #expect(book.author?.name == "Jane Austen" && lab.script.calls.isEmpty)
  }

  @Test("a fetch keeps the order of lists, in both directions of a many-to-many relationship")
  func lists() throws {
    let lab = try StoreLab()
    try lab.fill()
    let context = lab.context()
    let author = try #require(try context.fetch(FetchDescriptor<Author>()).first)
    author.books.reverse()
    let tags = ["z", "y", "x"].map(Tag.init)
    author.books[0].tags = tags
    author.books[1].tags = [tags[2], tags[0]]
    try context.save()
    let fresh = try ModelContainer(for: Schema(libraryModels), configurations: [MemoryConfiguration(lab.script)])
    let read = try #require(try ModelContext(fresh).fetch(FetchDescriptor<Author>()).first)
    #expect(read.books.map(\.title) == ["Lady Susan", "Persuasion", "Emma"])
    #expect(read.books[0].tags.map(\.word) == ["z", "y", "x"] && read.books[1].tags.map(\.word) == ["x", "z"])
    #expect(read.books[0].tags[0].books.count == 2)
  }

  @Test("a fetch includes changes of other programs to the store")
  func foreignChanges() throws {
    let lab = try StoreLab()
    try lab.fill()
    let context = lab.context()
    let books = try context.fetch(FetchDescriptor<Book>())
    lab.script.with { state in
      let index = state.rows.firstIndex { $0.persistentIdentifier == books[0].persistentModelID }!
      state.rows[index] = state.rows[index].with("title", .value("Emma!"))
      state.rows.removeAll { $0.persistentIdentifier == books[1].persistentModelID }
    }
    #expect(try context.fetch(FetchDescriptor<Book>()).map(\.title) == ["Emma!", "Lady Susan"])
    #expect(books[0].title == "Emma!")
    #expect(try context.fetchCount(FetchDescriptor<Book>()) == 2)
  }

  @Test("a fetch also returns models of subclasses")
  func subclasses() throws {
    let lab = try StoreLab([Vehicle.self, Truck.self])
    let context = lab.context()
    context.insert(Vehicle(wheels: 4))
    context.insert(Truck(load: 7.5))
    try context.save()
    let fresh = try ModelContainer(
      for: Schema([Vehicle.self, Truck.self]), configurations: [MemoryConfiguration(lab.script)])
    let other = ModelContext(fresh)
    let all = try other.fetch(FetchDescriptor<Vehicle>(sortBy: [SortDescriptor(\.wheels)]))
    #expect(all.map(\.wheels) == [4, 6] && (all[1] as? Truck)?.load == 7.5)
    let truck = try #require(try other.fetch(FetchDescriptor<Truck>()).first)
    #expect(truck === all[1] && truck.persistentModelID.entityName == "Truck")
    truck.load = 8
    try other.save()
    #expect(lab.script.rows(of: "Truck")[0].value("load", as: Double.self) == 8)
    try other.delete(model: Vehicle.self, includeSubclasses: false)
    try other.save()
    #expect(lab.script.with(\.rows).map(\.persistentIdentifier.entityName) == ["Truck"])
  }

  @Test("a fetch in batches and an enumeration return each model once")
  func batches() throws {
    let lab = try StoreLab()
    try lab.fill((0..<10).map { "book \($0)" })
    let context = lab.context()
    let sorted = FetchDescriptor<Book>(sortBy: [SortDescriptor(\.pages, order: .reverse)])
    let batches = try context.fetch(sorted, batchSize: 3)
    #expect(batches.map(\.pages) == (1...10).map { $0 * 100 }.reversed())
    var found: [String] = []
    try context.enumerate(sorted, batchSize: 4) { found.append($0.title) }
    #expect(found.count == 10 && Set(found).count == 10)
  }
}
