import SwiftData

#if PostgreSQL
  import PostgresStore
#endif

/// The store that contains the rows.
enum RowStore {
  static func open(_ url: String, namespace: String) throws -> ModelContainer {
    #if PostgreSQL
      var configuration = PostgresConfiguration(url)
      configuration.namespace = namespace
      configuration.maximumConnections = 2
      return try ModelContainer(for: SharedRow.self, configurations: configuration)
    #else
      fatalError("the package trait PostgreSQL is needed")
    #endif
  }

  static func make(_ count: Int, in container: ModelContainer) throws {
    let context = ModelContext(container)
    for number in 0..<count { context.insert(SharedRow(number)) }
    try context.save()
  }

  static func rows(_ context: ModelContext) throws -> [SharedRow] {
    try context.fetch(FetchDescriptor<SharedRow>(sortBy: [SortDescriptor(\.number)]))
  }
}
