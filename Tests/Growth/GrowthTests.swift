import ConformanceSupport
import SwiftData
import Testing

/// Each public operation, and eight times as much of it: what it costs grows in proportion, and memory returns.
///
/// `OSD_SOAK=10` does ten times as much of each.
@Suite("Growth", .serialized)
struct GrowthTests {
  /// So many bytes may be kept by each round: what allocators and caches do.
  private static let keptBytes = 6_000

  @Test("eight times as much costs eight times as much, and memory returns", arguments: try GrowthCase.all())
  func proportion(_ growth: GrowthCase) throws {
    var attempts: [GrowthResult] = []
    // What else the machine does may come in between; what grows does so every time.
    while attempts.count < 3 {
      let result = try growth.result(factor: RandomTesting.soak, runs: attempts.isEmpty ? 2 : 4)
      attempts.append(result)
      if result.ratio <= growth.tolerance, result.keptBytes <= Self.keptBytes { break }
    }
    let last = try #require(attempts.last)
    #expect(last.ratio <= growth.tolerance, "\(growth): \(attempts)")
    #expect(last.keptBytes <= Self.keptBytes, "\(growth): \(attempts)")
    #expect(last.livingObjects == 0, "\(growth)")
  }
}
