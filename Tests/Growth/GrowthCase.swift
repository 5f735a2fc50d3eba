import ConformanceSupport
import SwiftData
import Testing

/// An operation of the program `GrowthProcess` on one kind of store.
struct GrowthCase: CustomTestStringConvertible {
  let operation: String
  let engine: Engine

  /// The accepted cost of eight times the work, relative to proportional growth: caches are less effective for larger
  /// data. A quadratic operation has a ratio of eight.
  static let tolerance = 2.5

  /// The bytes that a round of the usual size may keep, for allocators and caches.
  ///
  /// A larger round may keep proportionally more: an identity map that stays alive allocates a block for every 16,384
  /// keys, and frees empty blocks when there are 32. A leak keeps at least eight bytes for each object.
  static let keptBytes = 6_000

  var testDescription: String { "\(operation), \(engine.testDescription)" }

  /// All operations in a soak, else a different quarter in each run.
  static func chosen() throws -> [GrowthCase] {
    let start = Int(RandomTesting.seed % 4)
    return try all().enumerated().filter { RandomTesting.soak > 1 || $0.offset % 4 == start }.map(\.element)
  }

  private static func all() throws -> [GrowthCase] {
    try lines(of: ["list"]).flatMap { line in
      let (kind, operation) = (line.prefix { $0 != " " }, String(line.drop { $0 != " " }.dropFirst()))
      return Engine.sqlite.filter { $0 == .file || kind == "any" }.map {
        GrowthCase(operation: operation, engine: $0)
      }
    }
  }

  /// - Parameters:
  ///   - factor: The amount of work, as a multiple of the usual amount.
  ///   - runs: The number of runs; the shortest time counts.
  func result(factor: Int, runs: Int) throws -> GrowthResult {
    try GrowthResult(Self.lines(of: [operation, engine.rawValue, "\(factor)", "\(runs)"]))
  }

  private static func lines(of arguments: [String]) throws -> [String] {
    let (lines, status) = try ProgramProcess("GrowthProcess", arguments).end()
    try #require(status == 0, "GrowthProcess \(arguments) ended with \(status): \(lines)")
    return lines
  }
}

/// What a process measured.
struct GrowthResult: CustomStringConvertible {
  /// The CPU time of the operation, and of eight times as much work.
  let seconds: (one: Double, eight: Double)
  /// The second time, relative to proportional growth.
  var ratio: Double { seconds.eight / (8 * seconds.one) }
  /// The bytes that each further round keeps: the maximum of rounds in new contexts and of rounds in one context.
  let keptBytes: Int
  /// The number of model objects that remain after all contexts were released or have saved.
  let livingObjects: Int

  init(_ lines: [String]) throws {
    let words = lines.map { $0.split(separator: " ").map(String.init) }
    func numbers(_ name: String) throws -> [Double] {
      try #require(words.first { $0.first == name }?.dropFirst().compactMap(Double.init), "\(name) in \(lines)")
    }
    let times = try numbers("seconds")
    let (container, context) = (try numbers("container"), try numbers("context"))
    seconds = (times[0], times[1])
    keptBytes = Int(max(container[0], context[0]))
    livingObjects = Int(max(container[1], context[1]))
  }

  var description: String {
    "\(seconds.one) s and \(seconds.eight) s, \(ratio) times more than in proportion; \(keptBytes) bytes kept a round"
  }
}
