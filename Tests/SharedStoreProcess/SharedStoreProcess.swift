import Foundation
import SharedStoreWorkload
import SwiftData
import Waiting

#if PostgreSQL
  import PostgresStore
#endif

/// A process that uses a store which other processes also have open. Each line that it prints acknowledges saved
/// changes.
@main
enum SharedStoreProcess {
  static func main() throws {
    let arguments = CommandLine.arguments.dropFirst().map { String($0) }
    guard arguments.count == 4, let number = Int(arguments[3]) else { exit(2) }
    try run(arguments[0], SharedStore.open(arguments[1]), writer: arguments[2], number: number)
    if arguments[0] == "drop" { MainActor.assumeIsolated { UnsavedEnd.drop() } }
  }

  private static func run(_ command: String, _ container: ModelContainer, writer: String, number: Int) throws {
    switch command {
    case "write": try write(container, writer: writer, count: number)
    case "stay":
      try write(container, writer: writer, count: number)
      // Waits until the test ends the process by a signal, or until the test process exits. A process that stayed
      // longer would keep inherited files open and locked.
      let test = getppid()
      _ = waitUntil(within: .seconds(600), longestPause: .milliseconds(100)) { getppid() != test }
    case "copy": copy(container, to: writer)
    case "watch": try watch(container, writer: writer, for: number)
    case "change": try change(container, writer: writer, to: number)
    case "delete": try delete(container, writer: writer)
    case "raise":
      try SharedStore.raise(in: ModelContext(container), by: Int(writer) ?? 1, times: number)
    default: try MainActor.assumeIsolated { try UnsavedEnd.run(command, container, count: number) }
    }
  }

  private static func write(_ container: ModelContainer, writer: String, count: Int) throws {
    let context = ModelContext(container)
    for number in 0..<count {
      context.insert(Entry(writer: writer, number: number))
      try context.save()
      say("saved \(number)")
    }
  }

  private static func change(_ container: ModelContainer, writer: String, to changes: Int) throws {
    let context = ModelContext(container)
    for entry in try context.fetch(SharedStore.entries(of: writer)) { entry.changes = changes }
    try context.save()
    say("changed")
  }

  /// Waits until the objects of this context have the values that another process has saved.
  private static func watch(_ container: ModelContainer, writer: String, for changes: Int) throws {
    let context = ModelContext(container)
    let entries = try context.fetch(SharedStore.entries(of: writer))
    say("watches \(entries.count)")
    let isSeen = try waitUntil {
      // A fetch, even of other models, first applies the saved changes of other processes.
      _ = try context.fetchCount(SharedStore.entries(of: ""))
      return entries.allSatisfy { $0.changes == changes }
    }
    guard isSeen else { exit(3) }
    say("seen")
  }

  /// Moves the store to a store on a server.
  private static func copy(_ container: ModelContainer, to location: String) {
    #if PostgreSQL
      let done = DispatchSemaphore(value: 0)
      Task.detached {
        do {
          try await container.copy(to: SharedStore.configuration(location))
          say("copied")
        } catch { say("failed: \(error)") }
        done.signal()
      }
      done.wait()
    #endif
  }

  private static func delete(_ container: ModelContainer, writer: String) throws {
    let context = ModelContext(container)
    try context.delete(model: Entry.self, where: #Predicate { $0.writer == writer })
    try context.save()
    say("deleted")
  }

  /// Writes the line immediately, because buffered output is lost when the process is killed.
  private static func say(_ line: String) {
    FileHandle.standardOutput.write(Data((line + "\n").utf8))
  }
}
