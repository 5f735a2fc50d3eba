import ConformanceSupport
import SwiftData
import Testing

/// Runs each public operation with the usual amount of work and with eight times as much. The CPU time must grow in
/// proportion, and the allocated memory must return to its level before the operation.
///
/// `make test` runs a quarter of the operations, chosen by the run's seed. `OSD_SOAK=10` runs all operations with ten
/// times as much work.
@Suite("Growth of time and memory with the amount of work", .serialized)
struct GrowthTests {
  @Test(
    "eight times the work takes at most 20 times the CPU time, and its memory is freed",
    arguments: try GrowthCase.chosen())
  func proportion(_ growth: GrowthCase) throws {
    RandomTesting.note("measured operations", 1)
    let limit = GrowthCase.keptBytes * RandomTesting.soak
    var attempts: [GrowthResult] = []
    // Other programs on the machine may slow down one attempt. Growth of the library's cost appears in all three
    // attempts.
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
