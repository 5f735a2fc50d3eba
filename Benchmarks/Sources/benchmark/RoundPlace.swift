import BenchmarkCore
import Foundation

/// The location of the databases of a contest's rounds.
protocol RoundPlace {
  /// Runs a closure with the command for a round of a contender: the path of a program, and its first arguments.
  func withCommand(of contender: any Participant, rows: Int, _ body: ([String]) throws -> Void) throws
}

/// Rounds of this program with databases in files.
struct FilePlace: RoundPlace {
  func withCommand(of contender: any Participant, rows: Int, _ body: ([String]) throws -> Void) throws {
    try body(Self.command(of: contender, rows: rows))
  }

  /// The command for a round of a contender in Swift.
  static func command(of contender: any Participant, rows: Int) -> [String] {
    let program = Bundle.main.executableURL?.path ?? CommandLine.arguments[0]
    return [program, RunRound.name, "--contender", contender.name, "--rows", "\(rows)"]
  }
}
