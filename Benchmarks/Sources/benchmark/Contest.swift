import BenchmarkCore
import Foundation

/// Rounds of all contenders in turn.
struct Contest {
  let contenders: [any Participant]
  let workloads: [Workload]
  let rows: Int
  let rounds: Int
  var place: any RoundPlace = FilePlace()

  /// The participant to whose times all ratios refer.
  var base: any Participant { contenders.first ?? Contenders.base }

  /// Runs all rounds. Each round runs every contender once, so that a load on the machine affects all of them.
  func run() throws -> ContestResult {
    var reports: [String: [RoundReport]] = [:]
    let progress = Progress()
    defer { progress.clear() }
    for round in 1...rounds {
      for contender in contenders {
        progress.show("round \(round) of \(rounds): \(contender.title)")
        reports[contender.name, default: []].append(try runInProcess(contender))
      }
    }
    return ContestResult(contest: self, reports: reports)
  }

  /// Runs one round of one contender in a child process. Its database is in a temporary directory, which is removed
  /// afterwards.
  private func runInProcess(_ contender: any Participant) throws -> RoundReport {
    let directory = FileManager.default.temporaryDirectory.appendingPathComponent("benchmark-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: directory) }
    try place.withCommand(of: contender, rows: rows) { command in
      let process = Process()
      process.executableURL = URL(fileURLWithPath: command[0])
      process.arguments = command.dropFirst() + ["--directory", directory.path, "--only"] + workloads.map(\.rawValue)
      try process.run()
      Interruption.during(process) { process.waitUntilExit() }
      guard process.terminationReason == .exit, process.terminationStatus == 0 else {
        throw ContestError.failed(contender: contender.title, status: process.terminationStatus)
      }
    }
    return try JSONDecoder().decode(RoundReport.self, from: Data(contentsOf: RunRound.reportFile(in: directory)))
  }
}

/// The results of all rounds.
struct ContestResult {
  let contest: Contest

  /// The reports of each contender, one for each round, by the contender's name.
  let reports: [String: [RoundReport]]
}

/// An error that ends a contest.
enum ContestError: Error, CustomStringConvertible {
  /// A contender's process failed.
  case failed(contender: String, status: Int32)

  var description: String {
    switch self {
    case .failed(let contender, let status): "\(contender) failed with status \(status)"
    }
  }
}
