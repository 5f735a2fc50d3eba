import Foundation
import SwiftData
import Waiting

/// A process that writes rows which other processes also write, and logs the saves on its standard output: `RowWriter
/// make <url> <namespace> <number of rows>`, or `RowWriter throw|merge <url> <namespace> <number of the writer>
/// <seconds> <file to wait for>`.
///
/// It prints a line `saved <cell> <version> <replaced version> <begin> <end>` for each cell of an acknowledged save,
/// with the times in nanoseconds of a clock that all processes share; and a line `refused <version>` for a save that
/// threw, none of whose changes may be in the store. A cell is a row (`throw`), or a row and its writer (`merge`).
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
        // All processes start when the file appears.
        guard waitUntil(longestPause: .milliseconds(2), { access(arguments[5], F_OK) == 0 }) else { exit(2) }
        var writer = try Writer(context, number: number, merges: arguments[0] == "merge")
        try writer.run(for: .seconds(seconds))
      }
    } catch {
      say("failed: \(error)")
      exit(1)
    }
  }

  /// Writes the line immediately, because the process may be killed at any time.
  static func say(_ text: String) {
    FileHandle.standardOutput.write(Data((text + "\n").utf8))
  }
}
