import Foundation

/// A server that has the database of a round.
public struct DatabaseServer: Sendable {
  /// Whose time the samples note.
  public let processes: ServerProcesses

  /// Does, after the rows came in, what a server does later by itself, and at different times: it clears up after the
  /// transaction and counts what its plans depend on.
  public let settle: @Sendable () throws -> Void

  public init(processes: ServerProcesses, settle: @escaping @Sendable () throws -> Void) {
    self.processes = processes
    self.settle = settle
  }
}

/// The processes of a server: one that starts the others, one of them for each connection.
public struct ServerProcesses: Sendable {
  private let first: Int32

  /// - Parameter first: The process that starts the others.
  public init(first: Int32) {
    self.first = first
  }

  /// How long they computed since they began, in milliseconds. Those that have ended count in steps of a clock tick.
  public var time: Double {
    let children = Self.read("\(first)/task/\(first)/children").split(separator: " ")
    let living = (children + ["\(first)"]).reduce(0.0) { $0 + Self.time(ofLiving: $1) }
    return living + timeOfEnded
  }

  /// What the scheduler says, in nanoseconds.
  private static func time(ofLiving process: Substring) -> Double {
    let fields = read("\(process)/schedstat").split(separator: " ")
    return (fields.first.flatMap { Double($0) } ?? 0) / 1_000_000
  }

  /// What the first process was told of those that have ended: the 16th and 17th field, counted before its name, which may
  /// have blanks.
  private var timeOfEnded: Double {
    let fields = Self.read("\(first)/stat").split(separator: ")").last?.split(separator: " ") ?? []
    guard fields.count > 14 else { return 0 }
    return fields[13...14].reduce(0.0) { $0 + (Double($1) ?? 0) } * 1000 / Double(sysconf(Int32(_SC_CLK_TCK)))
  }

  /// Such files say that they are empty, so they are read up to their end.
  private static func read(_ path: String) -> String {
    guard let file = FileHandle(forReadingAtPath: "/proc/\(path)") else { return "" }
    return String(decoding: (try? file.readToEnd()) ?? Data(), as: UTF8.self)
  }
}
