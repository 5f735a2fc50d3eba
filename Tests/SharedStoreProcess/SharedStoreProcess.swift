import Foundation
import SharedStoreWorkload
import SwiftData

/// A process that works on a store which others have open too. Every line that it prints acknowledges something that was
/// saved.
@main
enum SharedStoreProcess {
  static func main() throws {
    let arguments = CommandLine.arguments.dropFirst().map { String($0) }
    guard arguments.count == 4, let number = Int(arguments[3]) else { exit(2) }
    let container = try SharedStore.open(arguments[1])
    switch arguments[0] {
    case "write": try write(container, writer: arguments[2], count: number)
    case "change": try change(container, writer: arguments[2], to: number)
    case "delete": try delete(container, writer: arguments[2])
    case "raise":
      try SharedStore.raise(in: ModelContext(container), by: Int(arguments[2]) ?? 1, times: number)
    default: exit(2)
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

  private static func delete(_ container: ModelContainer, writer: String) throws {
    let context = ModelContext(container)
    try context.delete(model: Entry.self, where: #Predicate { $0.writer == writer })
    try context.save()
    say("deleted")
  }

  /// Says it now: what a process that ends has not said yet would be lost.
  private static func say(_ line: String) {
    FileHandle.standardOutput.write(Data((line + "\n").utf8))
  }
}
