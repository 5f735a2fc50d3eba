#if PostgreSQL
  import BenchmarkCore
  import Foundation
  import OpenSwiftData
  import PostgresStore

  /// This library with stores in PostgreSQL. The models, sessions and workloads are the same as with SQLite.
  public struct OurPostgresContender: Contender {
    public let name = "ours"
    public let title = "OpenSwiftData"
    private let url: String

    /// - Parameter url: The connection string of the round's database.
    public init(_ url: String) {
      self.url = url
    }

    public func create(_ file: URL) throws -> any ContenderSession {
      let configuration = configuration("items")
      return OurSession(try ModelContainer(for: Item.self, configurations: configuration)) {
        var configuration = configuration
        configuration.history = .standard
        return try ModelContainer(for: Item.self, configurations: configuration)
      }
    }

    public func createGraph(_ file: URL) throws -> any GraphSession {
      OurGraphSession(try ModelContainer(for: Parent.self, Child.self, configurations: configuration("graph")))
    }

    /// A configuration without a history and without notifications to other programs, because the hand-written code has
    /// neither.
    private func configuration(_ namespace: String) -> PostgresConfiguration {
      var configuration = PostgresConfiguration(url)
      configuration.namespace = namespace
      configuration.history = .off
      configuration.propagation = .off
      return configuration
    }
  }

  extension OurSession: ServerSession {
    func lookUpInGroups(_ plan: WorkPlan, _ stopwatch: Stopwatch) throws -> Int {
      let identifiers = try ModelContext(container).fetchIdentifiers(FetchDescriptor<Item>())
      let groups = plan.shuffledGroups(identifiers)
      let context = ModelContext(container)
      return try stopwatch.measure {
        try groups.reduce(0) { sum, group in
          let descriptor = FetchDescriptor<Item>(predicate: #Predicate { group.contains($0.persistentModelID) })
          return try context.fetch(descriptor).reduce(sum) { $0 &+ $1.count }
        }
      }
    }

    func saveByClients(_ plan: WorkPlan, _ stopwatch: Stopwatch) throws -> Int {
      let container = container
      try Clients.run(plan.clients, stopwatch) { client in
        let context = ModelContext(container)
        var descriptor = FetchDescriptor<Item>()
        descriptor.fetchLimit = plan.half
        let item = try context.fetch(descriptor)[client]
        item.score += 1
        try context.save()
        return {
          for _ in 0..<plan.savesOfEachClient {
            item.score += 1
            try context.save()
          }
        }
      }
      return Checksum.ofAll(try ModelContext(container).fetch(FetchDescriptor<Item>()))
    }
  }
#endif
