import CrashWorkload
import Dispatch
import Foundation
import SwiftData
import Waiting

/// A process for the crash tests: `CrashWriter <command> <path of the store> [seed] [pause in microseconds]`.
///
/// It prints what it does, line by line, until it is killed.
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

  /// Saves until it is killed.
  private static func write(_ path: String, seed: UInt64, pause: UInt64) throws {
    say("opening")
    let container = try openStore(at: path)
    say("opened")
    var writer = try Writer(container, seed: seed)
    while true {
      try writer.saveNext()
      // Readers in other processes need time between the saves, and this process knows nothing of them.
      letTimePass(.microseconds(pause))
    }
  }

  /// Prints the contents of the store and their inconsistencies.
  private static func check(_ path: String) throws {
    let state = try StoreState(reading: ModelContext(try openStore(at: path)))
    for violation in state.violations { say("wrong: \(violation)") }
    say("state \(state.number) \(state.digest)")
  }

  /// Waits for the file that starts all such processes at once, opens the store and saves one row.
  private static func create(_ path: String) throws {
    say("ready")
    // All processes see the file at the same time; checking often lets them begin together.
    guard waitUntil(longestPause: .microseconds(100), { access(path + ".go", F_OK) == 0 }) else { exit(2) }
    let context = ModelContext(try openStore(at: path))
    context.insert(Label(name: "process \(getpid())"))
    try context.save()
    say("saved 1")
  }

  /// Saves in a transaction that it never ends.
  private static func hold(_ path: String) throws {
    let context = ModelContext(try openStore(at: path))
    try context.transaction {
      context.insert(Label(name: "never committed"))
      try context.save()
      say("holding")
      // Until it is killed. If the tests have been killed, the alarm ends it.
      alarm(60)
      pause()
    }
  }

  /// Backs up the store, once.
  private static func backUp(_ path: String, to copy: String) throws {
    let container = try openStore(at: path)
    say("copying")
    try waiting { try await container.backup(to: URL(filePath: copy)) }
    say("copied")
  }

  /// Replaces the store by the copy.
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

  /// Reads the stamps, by one fetch each time, until it is killed.
  private static func read(_ path: String) throws {
    let container = try openStore(at: path)
    while true {
      say("reading")
      let stamps = try ModelContext(container).fetch(FetchDescriptor<Label>()).map(\.stamp)
      say("read \(stamps.map(String.init).joined(separator: " "))")
    }
  }
}
