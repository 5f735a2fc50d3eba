import SeededNumbers
import SwiftData

/// The length and the seed of random tests, from the environment.
package enum RandomTesting {
  package static var soak: Int { max(1, number("OSD_SOAK").map { Int($0) } ?? 1) }
  package static var seed: UInt64 { SeededGenerator.chosenSeed }

  /// The seeds of several rounds. Each round has a different seed, so that the rounds differ.
  package static func seeds(_ rounds: Int) -> [UInt64] {
    let first = seed
    return (0..<rounds).map { first &+ UInt64($0) }
  }

  /// Appends a line with the amount of one kind of work to the file that `OSD_COUNTS` names. A soak run adds up the
  /// amounts.
  package static func note(_ what: String, _ count: Int) {
    guard let path = ProcessInfo.processInfo.environment["OSD_COUNTS"] else { return }
    let descriptor = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o644)
    guard descriptor >= 0 else { return }
    defer { close(descriptor) }
    let line = Array("\(count) \(what)\n".utf8)
    _ = write(descriptor, line, line.count)
  }

  private static func number(_ name: String) -> UInt64? {
    ProcessInfo.processInfo.environment[name].flatMap { UInt64($0) }
  }
}
