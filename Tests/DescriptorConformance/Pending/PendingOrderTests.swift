import SwiftData
import Testing

@Suite("Sorts with unsaved changes", .serialized)
struct PendingOrderTests {
  private func store(_ engine: Engine) throws -> (store: TestStore, context: ModelContext) {
    let store = try TestStore(engine)
    let context = store.context()
    for (title, name) in [("1", "b"), ("2", "d"), ("3", "a"), ("4", "c")] {
      context.insert(Text(title, author: Author(name)))
    }
    try context.save()
    return (store, context)
  }

  private func titles(_ context: ModelContext, limit: Int? = nil, offset: Int? = nil) throws -> [String] {
    var descriptor = FetchDescriptor<Text>(sortBy: [SortDescriptor(\.author?.name)])
    (descriptor.fetchLimit, descriptor.fetchOffset) = (limit, offset)
    return try context.fetch(descriptor).map(\.title)
  }

  private func author(_ name: String, _ context: ModelContext) throws -> Author {
    try #require(try context.fetch(FetchDescriptor<Author>(predicate: #Predicate { $0.name == name })).first)
  }

  @Test(
    "an unsaved change of a related model changes the positions of the models that refer to it",
    arguments: Engine.allCases)
  func edit(_ engine: Engine) throws {
    let (store, context) = try store(engine)
    #expect(try titles(context) == ["3", "1", "4", "2"])
    try author("a", context).name = "z"
    #expect(try titles(context) == ["1", "4", "2", "3"])
    #expect(try titles(context, limit: 2, offset: 1) == ["4", "2"])
    #expect(try titles(store.context()) == ["3", "1", "4", "2"], "others do not see it")
    try context.save()
    #expect(try titles(store.context()) == ["1", "4", "2", "3"])
  }

  @Test("a sort treats a related model with an unsaved deletion as nil", arguments: Engine.allCases)
  func delete(_ engine: Engine) throws {
    let (store, context) = try store(engine)
    context.delete(try author("d", context))
    let pending = try titles(context)
    #expect(pending.first == "2")
    try context.save()
    #expect(try titles(store.context()) == pending)
  }

  @Test(
    "fetches of identifiers, and fetches with limits, also sort by unsaved changes of related models",
    arguments: Engine.allCases)
  func identifiers(_ engine: Engine) throws {
    let (store, context) = try store(engine)
    try author("a", context).name = "z"
    var descriptor = FetchDescriptor<Text>(sortBy: [SortDescriptor(\.author?.name, order: .reverse)])
    descriptor.fetchLimit = 2
    let identifiers = try context.fetchIdentifiers(descriptor)
    #expect(identifiers.map { context[$0, as: Text.self]?.title } == ["3", "2"])
    #expect(try context.fetchCount(descriptor) == 2)
    #expect(throws: SwiftDataError.includePendingChangesWithBatchSize) { try context.fetch(descriptor, batchSize: 5) }
    _ = store
  }

  @Test(
    "a fetch without pending changes sorts by the saved values, in the store as well as in memory",
    arguments: Engine.allCases)
  func without(_ engine: Engine) throws {
    let (store, context) = try store(engine)
    try author("a", context).name = "z"
    try #require(try context.fetch(FetchDescriptor<Text>(predicate: #Predicate { $0.title == "1" })).first).title = "9"
    context.insert(Text("0"))
    var descriptor = FetchDescriptor<Text>(sortBy: [SortDescriptor(\.author?.name)])
    descriptor.includePendingChanges = false
    #expect(try context.fetch(descriptor).map(\.title) == ["3", "9", "4", "2"])
    let regex = #Predicate<Text> { $0.title.contains(/^[123]$/) }
    var judged = FetchDescriptor(predicate: regex, sortBy: [SortDescriptor(\Text.reversed)])
    judged.includePendingChanges = false
    #expect(try context.fetch(judged).map(\.title) == ["9", "2", "3"], "by the rows' values")
    #expect(context.hasChanges)
    _ = store
  }

  @Test(
    "after random changes, a fetch with limit and offset returns the matching slice of the whole fetch",
    arguments: Engine.randomCases)
  func random(_ engine: Engine) throws {
    let seed = RandomTesting.seed
    var generator = SeededGenerator(seed: seed)
    let (store, context) = try store(engine)
    for step in 0..<40 * RandomTesting.soak {
      try change(context, &generator)
      let orders: [[SortDescriptor<Text>]] = [
        [SortDescriptor(\.author?.name), SortDescriptor(\.pages, order: .reverse)],
        [SortDescriptor(\.isRead), SortDescriptor(\.importance, order: .reverse)],
        [SortDescriptor(\.title, comparator: .localizedStandard)],
      ]
      for order in orders {
        let all = try context.fetch(FetchDescriptor<Text>()).sorted(using: order).map(\.persistentModelID)
        var part = FetchDescriptor(sortBy: order)
        #expect(try context.fetch(part).map(\.persistentModelID) == all, "seed \(seed), step \(step)")
        let (limit, offset) = (Int.random(in: 0...6, using: &generator), Int.random(in: 0...6, using: &generator))
        (part.fetchLimit, part.fetchOffset) = (limit, offset)
        let found = try context.fetch(part).map(\.persistentModelID)
        #expect(found == Array(all.dropFirst(offset).prefix(limit)), "seed \(seed), step \(step)")
        guard found == Array(all.dropFirst(offset).prefix(limit)) else { return }
      }
      if step % 6 == 5 { try context.save() }
    }
    _ = store
  }

  private func change(_ context: ModelContext, _ generator: inout SeededGenerator) throws {
    let texts = try context.fetch(FetchDescriptor<Text>())
    let authors = try context.fetch(FetchDescriptor<Author>())
    let number = Int.random(in: 0..<12, using: &generator)
    switch Int.random(in: 0..<6, using: &generator) {
    case 0: context.insert(Text("a\(number)", pages: number, author: authors.randomElement(using: &generator)))
    case 1: texts.randomElement(using: &generator)?.title = "A\(number)"
    case 2: authors.randomElement(using: &generator)?.name = "n\(number)"
    case 3: texts.randomElement(using: &generator)?.author = authors.randomElement(using: &generator)
    case 4: texts.randomElement(using: &generator)?.importance = Importance.allCases[number % 3]
    default: if texts.count > 8 { texts.randomElement(using: &generator).map(context.delete) }
    }
  }
}

extension Text {
  /// A computed property. It has no column, so a sort by it happens in memory.
  fileprivate var reversed: Int { -(Int(title) ?? 0) * 0 + (title == "3" ? 1 : 0) }
}
