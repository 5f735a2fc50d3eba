import ConformanceSupport
import SwiftData
import Testing

/// Runs each public operation, and eight times as much of it: CPU time has to grow in proportion, and memory has to
/// return to its level before.
///
/// `make test` runs a quarter of the operations, a different one each time. `OSD_SOAK=10` runs ten times as much of
/// each operation.
@Suite("Growth of time and memory with the amount of work", .serialized)
struct GrowthTests {
  @Test(
    "eight times the work takes at most about eight times the time, and memory is released",
    arguments: try GrowthCase.chosen())
  func proportion(_ growth: GrowthCase) throws {
    RandomTesting.note("measured operations", 1)
    let limit = GrowthCase.keptBytes * RandomTesting.soak
    var attempts: [GrowthResult] = []
    // Other load on the machine may disturb an attempt; real growth shows in all three.
    while attempts.count < 3 {
      let result = try growth.result(factor: RandomTesting.soak, runs: attempts.isEmpty ? 2 : 4)
      attempts.append(result)
      if result.ratio <= GrowthCase.tolerance, result.keptBytes <= limit { break }
    }
    let last = try #require(attempts.last)
    #expect(last.ratio <= GrowthCase.tolerance, "\(growth): \(attempts)")
    #expect(last.keptBytes <= limit, "\(growth): \(attempts)")
    #expect(last.livingObjects == 0, "\(growth)")
  }
}
