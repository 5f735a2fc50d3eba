import Foundation
import Logging
import SwiftData

/// A process in which several contexts use one store: `Interleaver <file> <seed> <steps> <process> <processes>`.
///
/// It prints `problem …` for each rule that was violated, and at the end `done` with the number of operations of each
/// kind.
@main
struct Interleaver {
  static func main() throws {
    let arguments = CommandLine.arguments
    guard arguments.count == 6, let seed = UInt64(arguments[2]), let steps = Int(arguments[3]),
      let process = Int(arguments[4]), let processes = Int(arguments[5])
    else { fatalError("see the usage above") }
    LoggingSystem.bootstrap { _ in SwiftLogNoOpLogHandler() }
    let file = URL(filePath: arguments[1])
    var problems = 0
    let run = try InterleavedRun(file, process: process, isAlone: processes == 1, seed: seed) { problem in
      problems += 1
      say("problem seed \(seed), process \(process): \(problem)")
    }
    for number in 0..<steps where problems < 5 { run.doSomething(number) }
    for participant in run.participants { try run.compare(participant) }
    if processes == 1 { for problem in try StoredGarage(file).problems() { say("problem seed \(seed): \(problem)") } }
    say("done \(run.counts.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value)" }.joined(separator: ", "))")
  }
}

/// Writes a line to the standard output without buffering, so that the line is not lost when the process is killed.
func say(_ line: String) {
  let bytes = Array((line.replacing("\n", with: " ") + "\n").utf8)
  bytes.withUnsafeBytes { _ = write(1, $0.baseAddress, $0.count) }
}
