import BenchmarkGauge
import Testing

@Suite("The comparison of measured instruction counts with the recorded table")
struct GaugeComparisonTests {
  private func table(_ functions: [String: Int], of workload: String = "insert") -> GaugeTable {
    let ours = functions.values.reduce(0, +)
    let count = WorkloadCount(workload: workload, ours: ours, raw: 1, functions: functions)
    return GaugeTable(conditions: [], workloads: [count])
  }

  @Test("a workload that grows by more than 2 % fails; the functions that grew are listed, the largest growth first")
  func growth() {
    let stored = table(["save": 5000, "write": 3000, "fetch": 2000])
    let measured = table(["save": 5050, "write": 3100, "fetch": 2000, "look": 400, "tiny": 20])
    let comparison = GaugeComparison(of: measured, with: stored)
    #expect(!comparison.isPassed)
    #expect(comparison.grown.map(\.workload) == [Growth(of: "insert", from: 10_000, to: 10_570)])
    // The table omits small functions. For such a function, the comparison assumes the largest count that the table may
    // omit: half a percent of the workload's instructions.
    let expected = [Growth(of: "look", from: 50, to: 400), Growth(of: "write", from: 3000, to: 3100)]
    #expect(comparison.grown.first?.functions == expected)
    #expect(
      comparison.lines.prefix(2) == [
        "insert takes +5.7 %, 10570 instructions instead of 10000:",
        "  look: +700.0 %, 400 instructions instead of 50",
      ])
  }

  @Test("grown functions are not reported if the total of their workload does not grow")
  func shifts() {
    let stored = table(["save": 8000, "write": 2000])
    let comparison = GaugeComparison(of: table(["save": 6000, "write": 4100]), with: stored)
    #expect(comparison.isPassed)
    #expect(comparison.grown == [])
    #expect(comparison.lines.count == 1)
  }

  @Test("a workload that shrinks by more than 2 % is reported, and the comparison passes")
  func shrinking() {
    let comparison = GaugeComparison(of: table(["save": 9000]), with: table(["save": 10_000]))
    #expect(comparison.isPassed)
    #expect(comparison.shrunk == [Growth(of: "insert", from: 10_000, to: 9000)])
    #expect(comparison.lines.first == "insert takes -10.0 %, 9000 instructions instead of 10000")
  }

  @Test("a workload that is not in the table fails")
  func unknownWorkload() {
    let comparison = GaugeComparison(of: table(["open": 1], of: "open"), with: table(["save": 1]))
    #expect(!comparison.isPassed)
    #expect(comparison.unknown == ["open"])
  }
}
