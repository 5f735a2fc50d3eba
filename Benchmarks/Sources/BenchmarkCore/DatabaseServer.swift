import Foundation

/// A server with the database of a round.
public struct DatabaseServer: Sendable {
  /// The processes whose time the samples record.
  public let processes: ServerProcesses

  /// Runs, after the insertion of rows, the maintenance that a server otherwise runs at varying times: it cleans up
  /// after the transaction and collects the statistics of the planner.
  public let settle: @Sendable () throws -> Void

  public init(processes: ServerProcesses, settle: @escaping @Sendable () throws -> Void) {
    self.processes = processes
    self.settle = settle
  }
}

/// The processes of a server: a first process that starts the others, and one process for each connection.
public struct ServerProcesses: Sendable {
  private let first: Int32

  /// - Parameter first: The process that starts the others.
  public init(first: Int32) {
    self.first = first
  }

  /// The CPU time of all processes, in milliseconds. That of ended processes has the resolution of a clock tick.
  public var time: Double {
    let children = Self.read("\(first)/task/\(first)/children").split(separator: " ")
    let living = (children + ["\(first)"]).reduce(0.0) { $0 + Self.time(ofLiving: $1) }
    return living + timeOfEnded
  }

  /// The time in the statistics of the scheduler, which are in nanoseconds.
  private static func time(ofLiving process: Substring) -> Double {
    let fields = read("\(process)/schedstat").split(separator: " ")
    return (fields.first.flatMap { Double($0) } ?? 0) / 1_000_000
  }

  /// The first process's record of ended processes: the 16th and 17th field, counted from before its name, which may
  /// contain blanks.
  private var timeOfEnded: Double {
    let fields = Self.read("\(first)/stat").split(separator: ")").last?.split(separator: " ") ?? []
    guard fields.count > 14 else { return 0 }
    return fields[13...14].reduce(0.0) { $0 + (Double($1) ?? 0) } * 1000 / Double(sysconf(Int32(_SC_CLK_TCK)))
  }

  /// Reads a file up to its end, because such files report a size of 0.
  private static func read(_ path: String) -> String {
    guard let file = FileHandle(forReadingAtPath: "/proc/\(path)") else { return "" }
    return String(decoding: (try? file.readToEnd()) ?? Data(), as: UTF8.self)
  }
}
