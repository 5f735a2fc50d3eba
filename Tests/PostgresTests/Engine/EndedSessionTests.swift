#if PostgreSQL
  import Foundation
  import PersistenceCore
  import PostgresSupport
  import SwiftData
  import Testing

  @testable import PostgresStore

  @Suite("Sessions that the server ends between two reads", .timeLimit(.minutes(5)))
  struct EndedSessionTests {
    @Test("fetches, counts and faults replace an ended session, however soon after its end they run")
    func replaced() throws {
      var configuration = PostgresConfiguration(try TestCluster.shared.get().url)
      configuration.namespace = "Ended \(UUID().uuidString)"
      configuration.maximumConnections = 2
      configuration.propagation = .off
      let container = try ModelContainer(for: Holder.self, Ship.self, configurations: configuration)
      let context = ModelContext(container)
      let holder = Holder("h")
      context.insert(holder)
      try context.save()
      let engine = try #require(context.stores.stores.first?.engine as? PostgresStoreEngine)
      let direct = try TestCluster.shared.get().connect()
      let identifier = holder.persistentModelID
      let reads: [(ModelContext) throws -> Bool] = [
        { try $0.fetch(FetchDescriptor<Holder>()).map(\.name) == ["h"] },
        { try $0.fetchCount(FetchDescriptor<Holder>()) == 1 },
        { ($0.model(for: identifier) as? Holder)?.name == "h" },
      ]
      for read in reads + reads {
        let process = try engine.withOwnSession {
          try #require(try $0.connection.run(PostgresStatement("SELECT pg_backend_pid()")).integer(0, 0))
        }
        try direct.execute("SELECT pg_terminate_backend(\(process), 10000)")
        #expect(try read(ModelContext(container)))
      }
    }
  }
#endif
