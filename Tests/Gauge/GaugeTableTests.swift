import BenchmarkGauge
import Testing

@Suite("The table of instruction counts")
struct GaugeTableTests {
  private static let conditions = [
    Condition("compiler", "Swift version 6.3.1 (swift-6.3.1-RELEASE)"), Condition("rows", "2000"),
  ]

  @Test("the file contains the table, with the functions sorted by name")
  func roundTrip() throws {
    let functions = ["save(_:)": 700, "closure #1 in fetch(_:) : a": 200, "[libc.so.6]": 100]
    let table = GaugeTable(
      conditions: Self.conditions,
      workloads: [
        WorkloadCount(workload: "insert", ours: 1000, raw: 400, functions: functions),
        WorkloadCount(workload: "open", ours: 10, raw: 0, functions: [:]),
      ])
    let text = table.text
    #expect(try GaugeTable(text: text) == table)
    let lines = text.split(separator: "\n").map(String.init).filter { !$0.hasPrefix("#") }
    #expect(
      lines.dropFirst(2) == [
        "[insert] ours 1000 raw 400 ratio 2.50", "  100 [libc.so.6]", "  200 closure #1 in fetch(_:) : a",
        "  700 save(_:)", "[open] ours 10 raw 0 ratio 10.00",
      ])
  }

  @Test("functions that take less than half a percent are omitted")
  func smallFunctions() throws {
    let functions = ["large": 994, "kept": 6, "small": 5]
    let count = WorkloadCount(workload: "insert", ours: 1005, raw: 1, functions: functions)
    let read = try GaugeTable(text: GaugeTable(conditions: [], workloads: [count]).text)
    #expect(read.workloads.map(\.functions) == [["large": 994, "kept": 6]])
  }

  @Test(
    "a malformed table throws an error with the line number",
    arguments: ["<<<<<<< HEAD", "  12 function", "[insert] ours many raw 2 ratio 1", "[insert]", "compiler"])
  func otherText(line: String) {
    #expect(throws: GaugeError.unreadableTable(line: 2, text: line)) { try GaugeTable(text: "rows: 5\n\(line)\n") }
  }

  @Test("the conditions of two tables that differ are named")
  func otherConditions() {
    let here = [Condition("compiler", "Swift version 6.4"), Condition("rows", "2000"), Condition("libc", "glibc 2.36")]
    #expect(Condition.differences(of: Self.conditions, from: Self.conditions) == [])
    #expect(
      Condition.differences(of: Self.conditions, from: here) == [
        "compiler: the table has Swift version 6.3.1 (swift-6.3.1-RELEASE), here is Swift version 6.4",
        "libc: the table has nothing, here is glibc 2.36",
      ])
  }
}
