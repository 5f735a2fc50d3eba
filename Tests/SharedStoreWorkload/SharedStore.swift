import SwiftData

#if PostgreSQL
  import PostgresStore
#endif

/// The model that processes write to a shared store.
@Model public final class Entry {
  /// The name of the writer, which is unique among all processes.
  public var writer: String
  /// The number of the entry among the writer's entries.
  public var number: Int
  /// A value that is changed after the insertion.
  public var changes: Int = 0

  public init(writer: String, number: Int) {
    self.writer = writer
    self.number = number
  }
}

/// A store that several processes have open.
public enum SharedStore {
  /// - Parameter path: A file; or the URL of a server, `#` and a namespace, and `#polling` for a program that polls for
  ///   changes.
  public static func open(_ path: String) throws -> ModelContainer {
    #if PostgreSQL
      if path.hasPrefix("postgresql:") {
        return try ModelContainer(for: Schema([Entry.self]), configurations: configuration(path))
      }
    #endif
    let schema = Schema([Entry.self])
    var configuration = ModelConfiguration(schema: schema, url: URL(filePath: path))
    // Many processes on few cores wait for each other.
    configuration.busyTimeout = .seconds(60)
    return try ModelContainer(for: schema, configurations: configuration)
  }

  #if PostgreSQL
    /// A store on a server.
    public static func configuration(_ location: String) -> PostgresConfiguration {
      let parts = location.split(separator: "#").map { String($0) }
      var configuration = PostgresConfiguration(parts[0])
      configuration.namespace = parts[1]
      configuration.maximumConnections = 3
      if parts.last == "polling" { configuration.propagation = .polling(interval: .milliseconds(50)) }
      return configuration
    }
  #endif

  public static func entries(of writer: String) -> FetchDescriptor<Entry> {
    FetchDescriptor(predicate: #Predicate { $0.writer == writer }, sortBy: [SortDescriptor(\.number)])
  }

  /// Increments counters repeatedly, from the values that were read before. Values are read again only after a
  /// conflict.
  ///
  /// - Parameter step: A different number in each process, because two changes to the same value are not a conflict.
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
