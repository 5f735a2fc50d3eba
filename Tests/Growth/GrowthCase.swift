import ConformanceSupport
import SwiftData
import Testing

/// One operation of the program `GrowthProcess`, measured on one kind of store.
struct GrowthCase: CustomTestStringConvertible {
  let operation: String
  let engine: Engine

  /// The highest accepted CPU time of eight times the work, divided by eight times the CPU time of the work. Caches are
  /// less effective for larger data, so more than 1 is accepted. An operation with quadratic cost has a quotient of 8.
  static let tolerance = 2.5

  /// The bytes that a round with the usual amount of work may leave allocated, for allocators and caches.
  ///
  /// A round with more work may leave proportionally more bytes: the identity map of a context that stays alive
  /// allocates a block for every 16,384 keys, and frees empty blocks once there are 32. A leak would leave at least
  /// eight bytes for each object.
  static let keptBytes = 6_000

  var testDescription: String { "\(operation), \(engine.testDescription)" }

  /// All operations in a soak test, otherwise a quarter of them, chosen by the seed.
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
  ///   - runs: The number of runs. The result is the shortest time.
  func result(factor: Int, runs: Int) throws -> GrowthResult {
    try GrowthResult(Self.lines(of: [operation, engine.rawValue, "\(factor)", "\(runs)"]))
  }

  private static func lines(of arguments: [String]) throws -> [String] {
    let (lines, status) = try ProgramProcess("GrowthProcess", arguments).end()
    try #require(status == 0, "GrowthProcess \(arguments) ended with \(status): \(lines)")
    return lines
  }
}

/// The measurements that a process has printed.
struct GrowthResult: CustomStringConvertible {
  /// The CPU seconds of the usual work, and of eight times as much work.
  let seconds: (one: Double, eight: Double)
  /// The CPU time of eight times the work, divided by eight times the CPU time of the work. 1 means proportional
  /// growth.
  var ratio: Double { seconds.eight / (8 * seconds.one) }
  /// The bytes that each further round leaves allocated: the maximum of rounds with new contexts and rounds with one
  /// context.
  let keptBytes: Int
  /// The number of model objects that still exist after all contexts were released, or have saved their changes.
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
