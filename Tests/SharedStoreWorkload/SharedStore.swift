import SwiftData

/// What processes that share a store write to it.
@Model public final class Entry {
  /// Who wrote it: a name for each writer of each process.
  public var writer: String
  /// Which of the writer's entries it is.
  public var number: Int
  /// What is changed later.
  public var changes: Int = 0

  public init(writer: String, number: Int) {
    self.writer = writer
    self.number = number
  }
}

/// A store that several processes have open.
public enum SharedStore {
  public static func open(_ path: String) throws -> ModelContainer {
    let schema = Schema([Entry.self])
    var configuration = ModelConfiguration(schema: schema, url: URL(filePath: path))
    // Many processes on few cores take turns.
    configuration.busyTimeout = .seconds(60)
    return try ModelContainer(for: schema, configurations: configuration)
  }

  public static func entries(of writer: String) -> FetchDescriptor<Entry> {
    FetchDescriptor(predicate: #Predicate { $0.writer == writer }, sortBy: [SortDescriptor(\.number)])
  }

  /// Raises counters again and again from the values that were read. They are read again only after a conflict.
  ///
  /// - Parameter step: A number that no other process has: two that come to the same value are in no conflict.
  public static func raise(in context: ModelContext, by step: Int, times: Int) throws {
    context.conflictPolicy = .throwError
    let all = try context.fetch(entries(of: "counter"))
    for time in 0..<times {
      let entry = all[time % all.count]
      while true {
        entry.changes += step
        do {
          try context.save()
          break
        } catch SwiftDataError.conflictingChanges {
          context.rollback()
        }
      }
    }
  }
}
