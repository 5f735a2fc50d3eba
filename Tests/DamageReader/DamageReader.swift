import DamageWorkload
import Foundation
import SwiftData

/// A process that uses damaged stores: `DamageReader make <folder>`, then `DamageReader sound <folder>` or `DamageReader
/// run <folder> <seed> <first case> <number of cases>`.
///
/// It prints each step before the step, until it has finished or crashes.
@main
struct DamageReader {
  static func main() throws {
    let arguments = CommandLine.arguments
    guard arguments.count >= 3 else { fatalError("a command and a folder are needed") }
    let folder = URL(filePath: arguments[2])
    if arguments[1] == "make" { return try DamageCase.Original.make(in: folder) }
    if arguments[1] == "sound" { return try DamageCase(DamageCase.Original(in: folder), seed: 1, number: 0).runSound() }
    guard arguments.count >= 6, let seed = UInt64(arguments[3]), let first = Int(arguments[4]),
      let count = Int(arguments[5])
    else { fatalError("a seed, the first case and a number of cases are needed") }
    limitMemory()
    let original = try DamageCase.Original(in: folder)
    for number in first..<first + count {
      say("case \(number)")
      // An error of a case must not end the process: the tests look for crashes.
      do { try DamageCase(original, seed: seed, number: number).run() } catch { say("failed \(error)") }
    }
    say("done")
  }

  /// A value that makes the library allocate too much memory must end this process, not others.
  private static func limitMemory() {
    var limit = rlimit(rlim_cur: 8 << 30, rlim_max: 8 << 30)
    setrlimit(__rlimit_resource_t(RLIMIT_AS.rawValue), &limit)
  }
}
