import ConformanceSupport
import OpenSwiftData
import Testing

@testable import PersistenceContainer
@testable import PersistenceContext
@testable import PersistenceQueries

@Suite("The log of evaluations in memory")
struct MemoryLogTests {
  private let recorder = LogRecorder()

  private var lines: [LogRecorder.Line] { recorder.all.filter { $0.message.contains("in memory") } }

  @Test("has one debug line for each shape of a predicate, whatever its values")
  func predicates() throws {
    let world = try recorder.listen { try World() }
    func fetch(_ predicate: Predicate<Person>) throws {
      _ = try recorder.listen { try world.store.context().fetch(FetchDescriptor(predicate: predicate)) }
    }
    for limit in 0..<5 { try fetch(#Predicate { $0.age > limit && $0.name.hashValue != limit }) }
    #expect(lines.count == 1 && lines.allSatisfy { $0.level == .debug })
    try fetch(#Predicate { $0.tags.filter { $0 == "red" } != [] })
    #expect(lines.count == 2)
    let hashes = (0..<1_000).map { number in #Predicate<Person> { $0.name.hashValue != number } }
    for count in [10, 1_000] { try fetch(.any(Array(hashes.prefix(count)))) }
    #expect(lines.count == 2, "what stands in the way is said once")
  }

  @Test("has one line for each shape of a sort and of an aggregate")
  func others() throws {
    let world = try recorder.listen { try World() }
    try recorder.listen {
      let context = world.store.context()
      for _ in 0..<3 { _ = try context.fetch(FetchDescriptor<Person>(sortBy: [SortDescriptor(\.name.count)])) }
      for _ in 0..<3 { _ = try context.sum(of: \Person.age, where: #Predicate { $0.name.hashValue != 0 }) }
    }
    let words = lines.map(\.message)
    #expect(Set(words).count == words.count && lines.allSatisfy { $0.level == .debug })
    #expect(words.contains { $0.contains("an order of Person") } && words.contains { $0.contains("an aggregate") })
  }

  @Test("creates no text if the log level is not enabled")
  func silence() {
    let log = MemoryWorkLog()
    var logger = recorder.logger()
    logger.logLevel = .info
    var count = 0
    func text() -> String {
      count += 1
      return "in memory"
    }
    log.say(text(), to: logger)
    #expect(count == 0 && log.shapeCount == 0 && recorder.all.isEmpty)
    logger.logLevel = .debug
    log.say(text(), to: logger)
    log.say(text(), to: logger)
    #expect(recorder.all.count == 1)
  }

  @Test("stores a limited number of shapes")
  func bound() {
    let log = MemoryWorkLog()
    let logger = recorder.logger()
    for number in 0..<MemoryWorkLog.mostShapes * 8 { log.say("in memory: \(number)", to: logger) }
    #expect(log.shapeCount == MemoryWorkLog.mostShapes && recorder.all.count == MemoryWorkLog.mostShapes)
  }
}
