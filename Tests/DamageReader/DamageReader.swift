import DamageWorkload
import Foundation
import SwiftData

/// A process that uses damaged stores. `DamageReader make <folder>` creates the undamaged originals; `DamageReader
/// sound <folder>` uses an undamaged store; `DamageReader run <folder> <seed> <first case> <number of cases>` uses
/// damaged copies.
///
/// The process prints the name of each step before it runs the step, so that the last line before a crash names the
/// cause.
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
      // An error of one case must not end the process, because the tests only look for crashes and endless loops.
      do { try DamageCase(original, seed: seed, number: number).run() } catch { say("failed \(error)") }
    }
    say("done")
  }

  /// Limits the address space to 8 GiB, so that a damaged length or count that makes the library allocate too much
  /// memory ends only this process.
  private static func limitMemory() {
    var limit = rlimit(rlim_cur: 8 << 30, rlim_max: 8 << 30)
    setrlimit(__rlimit_resource_t(RLIMIT_AS.rawValue), &limit)
  }
}
