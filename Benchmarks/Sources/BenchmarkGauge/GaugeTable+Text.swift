import Foundation

extension GaugeTable {
  /// The comment lines above the counts.
  private static let heading = [
    "# Instructions of each workload, as callgrind counts them. Written by `Benchmarks/gauge --write`, not by hand.",
    "# Below each, the functions that take at least 0.5 % of it themselves, by name, so that changes merge.",
  ]

  /// The text of the table's file, with one line for each workload and for each of its functions.
  public var text: String {
    let conditions = conditions.map { "\($0.name): \($0.value)" }
    let workloads = workloads.flatMap { [""] + Self.lines(of: $0) }
    return (Self.heading + conditions + workloads).joined(separator: "\n") + "\n"
  }

  private static func lines(of count: WorkloadCount) -> [String] {
    let ratio = String(format: "%.2f", count.ratio)
    let functions = count.functions.filter { $0.value > count.leftOut }.sorted { $0.key < $1.key }
    return ["[\(count.workload)] ours \(count.ours) raw \(count.raw) ratio \(ratio)"]
      + functions.map { "  \($0.value) \($0.key)" }
  }

  /// Parses the text of the table's file.
  public init(text: String) throws {
    var reader = GaugeTableReader()
    for (index, line) in text.split(separator: "\n", omittingEmptySubsequences: false).enumerated() {
      guard reader.read(line) else { throw GaugeError.unreadableTable(line: index + 1, text: String(line)) }
    }
    self.init(conditions: reader.conditions, workloads: reader.workloads)
  }
}

/// Parses the lines of the table's file: comments, conditions, workloads, and indented lines of functions.
private struct GaugeTableReader {
  private(set) var conditions: [Condition] = []
  private(set) var workloads: [WorkloadCount] = []

  init() {}

  /// Parses one line. Returns false if the line is none of these.
  mutating func read(_ line: Substring) -> Bool {
    if line.isEmpty || line.hasPrefix("#") { return true }
    if line.hasPrefix("  ") { return readFunction(line) }
    return line.hasPrefix("[") ? readWorkload(line) : readCondition(line)
  }

  private mutating func readCondition(_ line: Substring) -> Bool {
    let parts = line.split(separator: ":", maxSplits: 1)
    guard parts.count == 2, parts[1].hasPrefix(" ") else { return false }
    conditions.append(Condition(String(parts[0]), String(parts[1].dropFirst())))
    return true
  }

  /// Parses the line of a workload. The ratio at its end is not read, because it follows from the two counts.
  private mutating func readWorkload(_ line: Substring) -> Bool {
    let words = line.split(separator: " ")
    guard words.count == 7, words[0].hasSuffix("]"), words[1] == "ours", words[3] == "raw" else { return false }
    guard let ours = Int(words[2]), let raw = Int(words[4]) else { return false }
    let name = String(words[0].dropFirst().dropLast())
    workloads.append(WorkloadCount(workload: name, ours: ours, raw: raw, functions: [:]))
    return true
  }

  private mutating func readFunction(_ line: Substring) -> Bool {
    let parts = line.dropFirst(2).split(separator: " ", maxSplits: 1)
    guard parts.count == 2, let count = Int(parts[0]), let last = workloads.popLast() else { return false }
    let functions = last.functions.merging([String(parts[1]): count]) { _, new in new }
    workloads.append(
      WorkloadCount(workload: last.workload, ours: last.ours, raw: last.raw, functions: functions))
    return true
  }
}
