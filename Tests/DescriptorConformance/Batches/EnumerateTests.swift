import OpenSwiftData
import Testing

@Suite("Enumerating models", .serialized)
struct EnumerateTests {
  private func store(_ engine: Engine, _ count: Int) throws -> TestStore {
    let store = try TestStore(engine)
    let context = store.context()
    for number in 0..<count { context.insert(Text("\(number)", pages: number)) }
    try context.save()
    return store
  }

  @Test("every model is visited once, in the sort order, for any batch size", arguments: Engine.allCases)
  func order(_ engine: Engine) throws {
    let store = try store(engine, 50)
    for batchSize in [1, 7, 50, 5_000, 0] {
      var pages: [Int] = []
      let descriptor = FetchDescriptor<Text>(sortBy: [SortDescriptor(\.pages, order: .reverse)])
      try store.context().enumerate(descriptor, batchSize: batchSize) { pages.append($0.pages) }
      #expect(pages == (0..<50).reversed())
    }
  }

  @Test("the models of a batch are released before the next batch is read", arguments: Engine.allCases)
  func release(_ engine: Engine) throws {
    let store = try store(engine, 30)
    let context = store.context()
    var identifiers: [PersistentIdentifier] = []
    try context.enumerate(FetchDescriptor<Text>(), batchSize: 10) { identifiers.append($0.persistentModelID) }
    #expect(identifiers.allSatisfy { context.registeredModel(for: $0) as Text? == nil })
  }

  @Test(
    "if the block leaves unsaved changes, the call throws after the batch, and the changes stay pending",
    arguments: Engine.allCases)
  func escaping(_ engine: Engine) throws {
    let store = try store(engine, 30)
    let context = store.context()
    var count = 0
    #expect(throws: SwiftDataError.includePendingChangesWithBatchSize) {
      try context.enumerate(FetchDescriptor<Text>(), batchSize: 10) { text in
        text.pages += 100
        count += 1
      }
    }
    #expect(count == 10)
    #expect(context.changedModelsArray.count == 10)
    try context.save()
    #expect(try store.context().fetchCount(FetchDescriptor<Text>(predicate: #Predicate { $0.pages >= 100 })) == 10)
  }

  @Test(
    "with `allowEscapingMutations` the block may leave unsaved changes; without it, the block may save them itself",
    arguments: Engine.allCases)
  func allowed(_ engine: Engine) throws {
    let store = try store(engine, 30)
    let context = store.context()
    try context.enumerate(FetchDescriptor<Text>(), batchSize: 10, allowEscapingMutations: true) { $0.pages += 100 }
    #expect(context.changedModelsArray.count == 30)
    try context.save()
    try context.enumerate(FetchDescriptor<Text>(), batchSize: 10) { text in
      text.pages += 100
      if text.title.hasSuffix("9") { try context.save() }
    }
    #expect(try store.context().min(of: \Text.pages) == 200)
  }

  @Test("rows that another context deletes during the enumeration are not visited", arguments: Engine.allCases)
  func deletion(_ engine: Engine) throws {
    let store = try store(engine, 30)
    let context = store.context()
    var titles: [String] = []
    try context.enumerate(FetchDescriptor<Text>(sortBy: [SortDescriptor(\.pages)]), batchSize: 10) { text in
      titles.append(text.title)
      guard text.pages == 5 else { return }
      let other = store.context()
      try other.delete(model: Text.self, where: #Predicate { $0.pages >= 15 && $0.pages < 25 })
      try other.save()
    }
    #expect(titles == (Array(0..<15) + Array(25..<30)).map(String.init))
  }

  @Test("an error that the block throws ends the enumeration", arguments: Engine.allCases)
  func failure(_ engine: Engine) throws {
    let store = try store(engine, 30)
    var count = 0
    #expect(throws: Failure.self) {
      try store.context().enumerate(FetchDescriptor<Text>(), batchSize: 10) { _ in
        count += 1
        if count == 12 { throw Failure() }
      }
    }
    #expect(count == 12)
  }

  @Test("an enumeration in a cancelled task throws before it reads the next batch")
  func cancellation() async throws {
    let container = try store(.memory, 30).container
    let count = try await Task {
      var count = 0
      let context = ModelContext(container)
      do {
        try context.enumerate(FetchDescriptor<Text>(), batchSize: 10) { _ in
          count += 1
          if count == 5 { withUnsafeCurrentTask { $0?.cancel() } }
        }
        Issue.record("the loop went on")
      } catch is CancellationError {}
      return count
    }.value
    #expect(count == 10)
  }

  @Test("the memory of an enumeration does not grow with the number of rows")
  func memory() throws {
    let count = RandomTesting.soak > 1 ? 1_000_000 : 60_000
    let store = try TestStore(.file)
    for start in stride(from: 0, to: count, by: 20_000) {
      let context = store.context()
      for number in start..<start + 20_000 { context.insert(Text("text \(number)", pages: number)) }
      try context.save()
    }
    let context = store.context()
    var seen = 0
    var most = 0
    var before = 0
    try context.enumerate(FetchDescriptor<Text>(sortBy: [SortDescriptor(\.pages)]), batchSize: 5_000) { text in
      seen += 1
      if seen == 10_000 { before = ResidentMemory.bytes }
      if seen % 5_000 == 0 { most = max(most, ResidentMemory.bytes) }
    }
    #expect(seen == count)
    // SQLite's cache of file pages may grow to 64 MiB. Models that were not released would need at least 400 bytes
    // each.
    let cache = min(count * 200, 64 << 20)
    #expect(most - before < cache + (8 << 20), "\((most - before) >> 10) KiB more for \(count) rows")
    print("enumerate: \(count) rows, resident \(before >> 20) MiB after two batches, at most \(most >> 20) MiB")
  }

}

/// The resident memory of the process in bytes, read from `/proc/self/statm`.
enum ResidentMemory {
  static var bytes: Int {
    let text = (try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8)) ?? ""
    let pages = text.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0
    return pages * 4096
  }
}
