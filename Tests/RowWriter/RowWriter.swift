import Foundation
import SwiftData
import Waiting

/// A process that writes rows which other processes also write, and logs its saves on the standard output. It is
/// started as `RowWriter make <url> <namespace> <number of rows>`, or as `RowWriter throw|merge <url> <namespace>
/// <number of the writer> <seconds> <file to wait for>`.
///
/// For each cell of an acknowledged save it prints the line `saved <cell> <version> <replaced version> <begin> <end>`,
/// with times in nanoseconds of a clock that all processes share. For a save that threw it prints the line `refused
/// <version>`; the store must contain no change of this save. With `throw`, a cell is a row; with `merge`, it is a row
/// and a writer.
@main
struct RowWriter {
  static func main() {
    let arguments = Array(CommandLine.arguments.dropFirst())
    guard arguments.count >= 4, let number = Int(arguments[3]) else {
      say("failed: a command, a server, a namespace and a number are needed")
      exit(2)
    }
    do {
      let container = try RowStore.open(arguments[1], namespace: arguments[2])
      switch arguments[0] {
      case "make": try RowStore.make(number, in: container)
      default:
        guard arguments.count == 6, let seconds = Double(arguments[4]) else { exit(2) }
        let context = ModelContext(container)
        _ = try RowStore.rows(context)
        say("ready")
        // Waits for the file. The test creates it when all processes are ready.
        guard waitUntil(longestPause: .milliseconds(2), { access(arguments[5], F_OK) == 0 }) else { exit(2) }
        var writer = try Writer(context, number: number, merges: arguments[0] == "merge")
        try writer.run(for: .seconds(seconds))
      }
    } catch {
      say("failed: \(error)")
      exit(1)
    }
  }

  /// Writes the line immediately, so that it is not lost if the process is killed.
  static func say(_ text: String) {
    FileHandle.standardOutput.write(Data((text + "\n").utf8))
  }
}
