import BenchmarkCore
import Foundation

/// Decides where the databases of a contest's rounds are: in files or on a server.
protocol RoundPlace {
  /// Calls `body` with the command that runs a round of the contender: the path of a program, and its first arguments.
  func withCommand(of contender: any Participant, rows: Int, _ body: ([String]) throws -> Void) throws
}

/// Rounds run with databases in files.
struct FilePlace: RoundPlace {
  /// Nil if SQLAlchemy does not take part.
  var plan: PlanFile?

  func withCommand(of contender: any Participant, rows: Int, _ body: ([String]) throws -> Void) throws {
    guard contender is SQLAlchemy, let plan else { return try body(Self.command(of: contender, rows: rows)) }
    try body(SQLAlchemy.command + ["--plan", plan.path])
  }

  /// The command for a round of a contender in Swift.
  static func command(of contender: any Participant, rows: Int) -> [String] {
    let program = Bundle.main.executableURL?.path ?? CommandLine.arguments[0]
    return [program, RunRound.name, "--contender", contender.name, "--rows", "\(rows)"]
  }
}
