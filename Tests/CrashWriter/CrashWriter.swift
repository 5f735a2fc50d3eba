import CrashWorkload
import Dispatch
import Foundation
import SwiftData
import Waiting

/// A process for the crash tests: `CrashWriter <command> <path of the store> [seed] [pause in microseconds]`.
///
/// The process prints a line for each thing it does. Some commands run until the process is killed.
@main
struct CrashWriter {
  static func main() throws {
    let arguments = CommandLine.arguments
    guard arguments.count >= 3 else { fatalError("a command and a path are needed") }
    let path = arguments[2]
    switch arguments[1] {
    case "write": try write(path, seed: number(3), pause: number(4))
    case "check": try check(path)
    case "create": try create(path)
    case "hold": try hold(path)
    case "read": try read(path)
    case "back-up": try backUp(path, to: arguments[3])
    case "restore": try restore(path, from: arguments[3])
    default: fatalError("there is no command \(arguments[1])")
    }
  }

  private static func number(_ position: Int) -> UInt64 {
    CommandLine.arguments.dropFirst(position).first.flatMap { UInt64($0) } ?? 0
  }

  /// Makes one save after another until the process is killed.
  private static func write(_ path: String, seed: UInt64, pause: UInt64) throws {
    say("opening")
    let container = try openStore(at: path)
    say("opened")
    var writer = try Writer(container, seed: seed)
    while true {
      try writer.saveNext()
      // Gives readers in other processes time between the saves.
      letTimePass(.microseconds(pause))
    }
  }

  /// Prints the contents of the store and their inconsistencies.
  private static func check(_ path: String) throws {
    let state = try StoreState(reading: ModelContext(try openStore(at: path)))
    for violation in state.violations { say("wrong: \(violation)") }
    say("state \(state.number) \(state.digest)")
  }

  /// Waits for the file with which the test starts all these processes at once, opens the store and saves one row.
  private static func create(_ path: String) throws {
    say("ready")
    // The process checks for the file at least every 100 µs, so that all processes begin at nearly the same time.
    guard waitUntil(longestPause: .microseconds(100), { access(path + ".go", F_OK) == 0 }) else { exit(2) }
    let context = ModelContext(try openStore(at: path))
    context.insert(Label(name: "process \(getpid())"))
    try context.save()
    say("saved 1")
  }

  /// Saves in a transaction that never ends, so that the process holds the write lock.
  private static func hold(_ path: String) throws {
    let context = ModelContext(try openStore(at: path))
    try context.transaction {
      context.insert(Label(name: "never committed"))
      try context.save()
      say("holding")
      // Waits until the process is killed. If the tests were killed first, the alarm ends the process after 60 s.
      alarm(60)
      pause()
    }
  }

  /// Makes one backup of the store.
  private static func backUp(_ path: String, to copy: String) throws {
    let container = try openStore(at: path)
    say("copying")
    try waiting { try await container.backup(to: URL(filePath: copy)) }
    say("copied")
  }

  /// Replaces the store by the backup at `copy`.
  private static func restore(_ path: String, from copy: String) throws {
    say("restoring")
    try waiting { try await ModelContainer.restore(from: URL(filePath: copy), to: URL(filePath: path)) }
    say("restored")
  }

  /// Waits for a task, and ends the process if the task throws.
  private static func waiting(_ body: @escaping @Sendable () async throws -> Void) throws {
    let done = DispatchSemaphore(value: 0)
    Task.detached {
      do {
        try await body()
      } catch {
        say("failed \(error)")
        exit(3)
      }
      done.signal()
    }
    done.wait()
  }

  /// Fetches all labels and prints their stamps, again and again, until the process is killed.
  private static func read(_ path: String) throws {
    let container = try openStore(at: path)
    while true {
      say("reading")
      let stamps = try ModelContext(container).fetch(FetchDescriptor<Label>()).map(\.stamp)
      say("read \(stamps.map(String.init).joined(separator: " "))")
    }
  }
}
