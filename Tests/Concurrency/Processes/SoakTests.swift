import OpenSwiftData
import SharedStoreWorkload
import Testing

/// An actor that saves entries one at a time, and returns the numbers of the entries that it saved.
@ModelActor private actor EntryWriter {
  func write(_ count: Int, as writer: String) async throws -> [Int] {
    var saved: [Int] = []
    for number in 0..<count {
      modelContext.insert(Entry(writer: writer, number: number))
      try modelContext.save()
      saved.append(number)
      // Lets other calls of the actor run.
      if number.isMultiple(of: 7) { await Task.yield() }
    }
    return saved
  }
}

/// Readers and writers of all kinds at the same time. The environment variable `OSD_SOAK` makes the test longer.
@Suite("A mix of readers and writers", .timeLimit(.minutes(10)))
struct SoakTests {
  private struct Acknowledged: Sendable {
    var writer: String
    var numbers: [Int]
  }

  @Test("no acknowledged write is lost in actors, databases and other processes")
  func everyAcknowledgedWrite() async throws {
    let folder = try SharedFolder()
    let container = try SharedStore.open(folder.path)
    let count = 60 * RandomTesting.soak
    let (stop, path) = (Flag(), folder.path)
    async let reading = Self.read(container, until: stop)
    RandomTesting.note("writes by actors, databases and processes", 11 * count)
    let acknowledged = try await withThrowingTaskGroup(of: Acknowledged.self) { group in
      for number in 0..<3 { group.addTask { try await Self.runProcess(path, "process \(number)", count) } }
      for number in 0..<4 { group.addTask { try await Self.runActor(container, "actor \(number)", count) } }
      let database = ModelDatabase(modelContainer: container)
      for number in 0..<4 { group.addTask { try await Self.runDatabase(database, "database \(number)", count) } }
      return try await group.reduce(into: []) { $0.append($1) }
    }
    stop.raise()
    let counts = try await reading
    #expect(counts.count > 1)
    #expect(counts == counts.sorted(), "a reader saw writes vanish")
    #expect(acknowledged.count == 11)
    try Self.check(acknowledged, in: try SharedStore.open(folder.path))
  }

  private static func check(_ acknowledged: [Acknowledged], in container: ModelContainer) throws {
    let context = ModelContext(container)
    for writer in acknowledged {
      let stored = try context.fetch(SharedStore.entries(of: writer.writer)).map(\.number)
      #expect(stored == writer.numbers, "\(writer.writer) acknowledged \(writer.numbers.count) writes")
    }
    #expect(try context.fetchCount(FetchDescriptor<Entry>()) == acknowledged.reduce(0) { $0 + $1.numbers.count })
  }

  private static func runProcess(_ path: String, _ writer: String, _ count: Int) async throws -> Acknowledged {
    let process = try await OtherProcess.run("write", path, writer, "\(count)")
    let numbers = process.lines.compactMap { Int($0.dropFirst("saved ".count)) }
    #expect(numbers.count == count)
    return Acknowledged(writer: writer, numbers: numbers)
  }

  private static func runActor(_ container: ModelContainer, _ writer: String, _ count: Int) async throws -> Acknowledged
  {
    Acknowledged(writer: writer, numbers: try await EntryWriter(modelContainer: container).write(count, as: writer))
  }

  private static func runDatabase(_ database: ModelDatabase, _ writer: String, _ count: Int) async throws
    -> Acknowledged
  {
    var numbers: [Int] = []
    for number in 0..<count {
      let entry = try await database.insert { Entry(writer: writer, number: number) }
      numbers.append(try await database.get(entry) { $0.number })
      try await database.update(entry) { $0.changes += 1 }
    }
    return Acknowledged(writer: writer, numbers: numbers)
  }

  /// Lets four readers at a time count the entries, until the flag is raised. Returns the smallest count of each round.
  private static func read(_ container: ModelContainer, until stop: Flag) async throws -> [Int] {
    var counts: [Int] = []
    repeat {
      let seen = try await withThrowingTaskGroup(of: Int.self) { group in
        for _ in 0..<4 {
          group.addTask {
            try await container.read { context in
              let entries = try context.fetch(FetchDescriptor<Entry>())
              #expect(Set(entries.map { "\($0.writer) \($0.number)" }).count == entries.count)
              return entries.count
            }
          }
        }
        return try await group.reduce(into: [Int]()) { $0.append($1) }
      }
      counts.append(seen.min() ?? 0)
    } while !stop.isRaised
    return counts
  }
}
