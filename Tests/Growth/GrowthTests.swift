import ConformanceSupport
import SwiftData
import Testing

/// Each public operation, and eight times as much of it: what it costs grows in proportion, and memory returns.
///
/// `make test` looks at a quarter of them, another one each time, and `OSD_SOAK=10` at ten times as much of each.
@Suite("Growth", .serialized)
struct GrowthTests {
  @Test("eight times the work takes eight times the time, and memory is released", arguments: try GrowthCase.chosen())
  func proportion(_ growth: GrowthCase) throws {
    RandomTesting.note("measured operations", 1)
    let limit = GrowthCase.keptBytes * RandomTesting.soak
    var attempts: [GrowthResult] = []
    // What else the machine does may come in between; what grows does so every time.
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
