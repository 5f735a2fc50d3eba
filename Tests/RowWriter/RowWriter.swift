import Foundation
import SwiftData
import Waiting

/// A process that writes rows which others write, too, and logs on its standard output what was saved:
/// `RowWriter make <url> <namespace> <number of rows>`, or
/// `RowWriter throw|merge <url> <namespace> <number of the writer> <seconds> <file to wait for>`.
///
/// A line `saved <cell> <version> <replaced version> <begin> <end>` for each cell of a save that was acknowledged, with the times
/// in nanoseconds of a clock that all processes share; a line `refused <version>` for a save that was not: nothing of it may be in
/// the store. A cell is a row (`throw`), or a row and its writer (`merge`).
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
        // The file is what all of them see at once.
        guard waitUntil(longestPause: .milliseconds(2), { access(arguments[5], F_OK) == 0 }) else { exit(2) }
        var writer = try Writer(context, number: number, merges: arguments[0] == "merge")
        try writer.run(for: .seconds(seconds))
      }
    } catch {
      say("failed: \(error)")
      exit(1)
    }
  }

  /// At once, since the process may end at any time.
  static func say(_ text: String) {
    FileHandle.standardOutput.write(Data((text + "\n").utf8))
  }
}
