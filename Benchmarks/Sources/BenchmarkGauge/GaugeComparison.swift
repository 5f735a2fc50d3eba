import Foundation

/// Compares measured instruction counts with those of the stored table.
///
/// Only the total of each workload decides whether the comparison passes. The counts of functions merely explain the
/// total, because a compiler that inlines a function moves its instructions to another function.
public struct GaugeComparison: Sendable {
  /// The maximum number of functions that the report lists for a workload that takes more instructions.
  private static let namedFunctions = 12

  public let grown: [WorkloadGrowth]

  /// Workloads that take fewer instructions than in the table.
  public let shrunk: [Growth]

  /// Workloads that are not in the table.
  public let unknown: [String]

  public init(of measured: GaugeTable, with stored: GaugeTable) {
    let known = Dictionary(stored.workloads.map { ($0.workload, $0) }, uniquingKeysWith: { first, _ in first })
    let pairs = measured.workloads.map { (measured: $0, stored: known[$0.workload]) }
    unknown = pairs.filter { $0.stored == nil }.map { $0.measured.workload }
    grown = pairs.compactMap { pair in
      pair.stored.flatMap { WorkloadGrowth(from: $0, to: pair.measured) }
    }
    shrunk = pairs.compactMap { pair in
      pair.stored.map { Growth(of: $0.workload, from: $0.ours, to: pair.measured.ours) }
    }.filter(\.isShrunk)
  }

  /// True if no workload takes more instructions than the tolerance allows, and the table contains every workload.
  public var isPassed: Bool { grown.isEmpty && unknown.isEmpty }

  /// The lines of the report.
  public var lines: [String] {
    let grown = grown.flatMap { Self.lines(of: $0) }
    let unknown = unknown.map { "\($0) is not in the table" }
    let shrunk = shrunk.map { "\($0.name) takes \(Self.words($0))" }
    let advice = "What is meant to be so is stored by Benchmarks/gauge --write."
    let all = grown + unknown + shrunk
    return all.isEmpty ? ["No workload takes 2 % more or fewer instructions than the table says."] : all + [advice]
  }

  private static func lines(of growth: WorkloadGrowth) -> [String] {
    let functions = growth.functions.prefix(namedFunctions).map { "  \($0.name): \(words($0))" }
    return ["\(growth.workload.name) takes \(words(growth.workload)):"] + functions
  }

  private static func words(_ growth: Growth) -> String {
    let share = Double(growth.difference) / Double(max(growth.before, 1)) * 100
    return String(format: "%+.1f %%, ", share) + "\(growth.now) instructions instead of \(growth.before)"
  }
}
