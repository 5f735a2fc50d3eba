import PersistenceCore
import SQLEngine
import Testing

@Suite("The progress of re-encryption")
struct SealedBatchTests {
  private func progress(behind last: Int64?) -> EngineReencryption {
    var progress = EngineReencryption()
    progress.table = 1
    progress.key = 3
    var batch = SealedTable.Batch()
    (batch.rows, batch.values, batch.last) = (10, 4, last)
    progress.add(batch)
    return progress
  }

  @Test("the next batch continues after the last row of the previous batch")
  func next() {
    let progress = progress(behind: 12)
    #expect(progress.table == 1 && progress.key == 13)
  }

  @Test(
    "the next batch begins the next table after the last row, or after the greatest key", arguments: [nil, Int64.max])
  func nextTable(_ last: Int64?) {
    let progress = progress(behind: last)
    #expect(progress.table == 2 && progress.key == .min)
  }

  @Test("rows and values are counted for each pass, and values for all passes")
  func counts() {
    var progress = progress(behind: 12)
    #expect(progress.rows == 10 && progress.values == 4 && progress.total == 4)
    progress.restart()
    var batch = SealedTable.Batch()
    (batch.rows, batch.values) = (2, 1)
    progress.add(batch)
    #expect(progress.rows == 2 && progress.values == 1 && progress.total == 5)
  }
}
