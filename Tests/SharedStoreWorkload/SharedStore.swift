import SwiftData

#if PostgreSQL
  import PostgresStore
#endif

/// The model of the rows that several processes write.
@Model public final class Entry {
  /// The name of the writer. Each process uses another name.
  public var writer: String
  /// The number that the writer has given to this entry.
  public var number: Int
  /// A value that processes change after the entry is inserted.
  public var changes: Int = 0

  public init(writer: String, number: Int) {
    self.writer = writer
    self.number = number
  }
}

/// A store that several processes have open.
public enum SharedStore {
  /// - Parameter path: The path of a file. Or the URL of a server, `#` and a namespace, followed by `#polling` if the
  ///   process polls for changes of other processes.
  public static func open(_ path: String) throws -> ModelContainer {
    #if PostgreSQL
      if path.hasPrefix("postgresql:") {
        return try ModelContainer(for: Schema([Entry.self]), configurations: configuration(path))
      }
    #endif
    let schema = Schema([Entry.self])
    var configuration = ModelConfiguration(schema: schema, url: URL(filePath: path))
    // The timeout is long, because many processes on few processor cores wait for each other.
    configuration.busyTimeout = .seconds(60)
    return try ModelContainer(for: schema, configurations: configuration)
  }

  #if PostgreSQL
    /// The configuration of a store on a server.
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

  /// Repeatedly increments counters, starting from the values that this context read last. It reads them again only
  /// after a conflict.
  ///
  /// - Parameter step: The increment. It differs in each process, because two changes to the same value would be no
  ///   conflict.
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
