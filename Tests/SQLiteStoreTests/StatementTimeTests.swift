import ConformanceSupport
import PersistenceCore
import SQLiteStore
import Testing

@Suite("The time that is logged for a statement")
struct StatementTimeTests {
  @Test("the logged time includes the processing of the rows")
  func workWithRows() throws {
    let folder = try TemporaryFolder()
    let recorder = LogRecorder()
    var configuration = folder.configuration()
    configuration.slowStatementLog = ModelConfiguration.SlowStatementLog(threshold: .zero, logger: recorder.logger())
    let store = try SampleStore(configuration)
    try store.insert([["count": 1]])
    recorder.clear()
    var work = Duration.zero
    try store.engine.fetch(FetchRequest(entity: store.entities.item), in: nil) { rows in
      #expect(rows.isOnFirstRow)
      // The loop works for five milliseconds. On any machine, the time without the loop would be far shorter.
      let start = ContinuousClock.now
      repeat { work = ContinuousClock.now - start } while work < .milliseconds(5)
    }
    let line = try #require(recorder.all.last { $0.sql.contains("FROM \"Item\"") })
    let seconds = try #require(Double(line.metadata["seconds"] ?? ""))
    #expect(seconds >= work / .seconds(1))
  }
}
