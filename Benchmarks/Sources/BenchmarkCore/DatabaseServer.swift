import Foundation

/// The server on which the database of a round is.
public struct DatabaseServer: Sendable {
  /// The server's processes, whose CPU time the samples contain.
  public let processes: ServerProcesses

  /// Runs the maintenance that the server would otherwise run at varying times. It is called after the rows were
  /// inserted, cleans up after the transaction, and collects the statistics for the query planner.
  public let settle: @Sendable () throws -> Void

  public init(processes: ServerProcesses, settle: @escaping @Sendable () throws -> Void) {
    self.processes = processes
    self.settle = settle
  }
}

/// The processes of a database server: a first process, and the processes that it started, such as one for each
/// connection.
public struct ServerProcesses: Sendable {
  private let first: Int32

  /// - Parameter first: The process that starts the others.
  public init(first: Int32) {
    self.first = first
  }

  /// The CPU time of all processes, in milliseconds. The time of processes that have ended is rounded to clock ticks.
  public var time: Double {
    let children = Self.read("\(first)/task/\(first)/children").split(separator: " ")
    let living = (children + ["\(first)"]).reduce(0.0) { $0 + Self.time(ofLiving: $1) }
    return living + timeOfEnded
  }

  /// The CPU time of a running process in milliseconds, from the scheduler's statistics, which are in nanoseconds.
  private static func time(ofLiving process: Substring) -> Double {
    let fields = read("\(process)/schedstat").split(separator: " ")
    return (fields.first.flatMap { Double($0) } ?? 0) / 1_000_000
  }

  /// The CPU time of the ended processes in milliseconds. The first process's `stat` file contains it in fields 16 and
  /// 17. The text is split behind the process's name (field 2), because the name may contain blanks.
  private var timeOfEnded: Double {
    let fields = Self.read("\(first)/stat").split(separator: ")").last?.split(separator: " ") ?? []
    guard fields.count > 14 else { return 0 }
    return fields[13...14].reduce(0.0) { $0 + (Double($1) ?? 0) } * 1000 / Double(sysconf(Int32(_SC_CLK_TCK)))
  }

  /// Reads a file of `/proc` up to its end, because these files report a size of 0.
  private static func read(_ path: String) -> String {
    guard let file = FileHandle(forReadingAtPath: "/proc/\(path)") else { return "" }
    return String(decoding: (try? file.readToEnd()) ?? Data(), as: UTF8.self)
  }
}
