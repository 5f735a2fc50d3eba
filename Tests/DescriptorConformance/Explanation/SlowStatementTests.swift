import ConformanceSupport
import SwiftData
import Testing

@Suite("The log of slow statements", .serialized)
struct SlowStatementTests {
  private let secret = "a secret that must not be in a log"

  @Test("statements are logged without values, unless the program requests them")
  func values() throws {
    for showsValues in [false, true] {
      let store = try LoggedStore(showsValues: showsValues)
      let context = store.context()
      let secret = secret
      context.insert(Text(secret))
      try context.save()
      _ = try context.fetch(FetchDescriptor<Text>(predicate: #Predicate { $0.title == secret }))
      let lines = store.recorder.all
      let select = try #require(lines.last { $0.sql.contains("WHERE") })
      #expect(select.sql.contains(#""title" = "#))
      #expect(lines.contains { $0.sql.hasPrefix("INSERT INTO \"Text\"") })
      #expect(lines.contains { $0.sql == "COMMIT" })
      #expect(lines.contains { "\($0)".contains(secret) } == showsValues)
      #expect(select.message.hasPrefix("a statement took "))
      #expect(select.metadata["store"]?.hasSuffix("logged.store") == true)
      #expect(Double(select.metadata["seconds"] ?? "") != nil)
    }
  }

  @Test("only statements that take at least as long as the threshold are logged")
  func threshold() throws {
    let store = try LoggedStore(threshold: .seconds(3_600))
    let context = store.context()
    context.insert(Text("a"))
    try context.save()
    _ = try context.fetch(FetchDescriptor<Text>())
    #expect(store.recorder.all.isEmpty)
  }

  @Test("log configurations with the same threshold, options and logger are equal")
  func equality() {
    let recorder = LogRecorder()
    let log = ModelConfiguration.SlowStatementLog(threshold: .milliseconds(5), logger: recorder.logger("a"))
    #expect(log == ModelConfiguration.SlowStatementLog(threshold: .milliseconds(5), logger: recorder.logger("a")))
    #expect(log != ModelConfiguration.SlowStatementLog(threshold: .milliseconds(6), logger: recorder.logger("a")))
    #expect(log != ModelConfiguration.SlowStatementLog(threshold: .milliseconds(5), logger: recorder.logger("b")))
    let unveiled = ModelConfiguration.SlowStatementLog(
      threshold: .milliseconds(5), showsValues: true, logger: recorder.logger("a"))
    #expect(log != unveiled)
    var configuration = ModelConfiguration(isStoredInMemoryOnly: true)
    #expect(configuration.slowStatementLog == nil)
    configuration.slowStatementLog = log
    #expect(configuration != ModelConfiguration(isStoredInMemoryOnly: true))
  }
}
