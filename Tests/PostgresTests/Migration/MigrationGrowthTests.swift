#if PostgreSQL
  import Foundation
  import PersistenceCore
  import Testing

  private enum Small {
    @Model final class Parcel {
      var name: String
      var weight: Int
      @Relationship(inverse: nil) var box: Carton?
      @Relationship(inverse: nil) var others: [Parcel] = []
      init(_ name: String) { (self.name, weight) = (name, 0) }
    }
    @Model class Carton {
      var name: String
      init(_ name: String) { self.name = name }
    }
    @Model final class Tin: Carton {
      var size = 1
      override init(_ name: String) { super.init(name) }
    }
    static let models: [any PersistentModel.Type] = [Parcel.self, Carton.self, Tin.self]
  }

  /// Removes a class, converts a number and makes a name unique. So the migration copies rows, converts values, builds
  /// indexes and clears references.
  private enum Changed {
    @Model final class Parcel {
      @Attribute(.unique) var name: String
      var weight: Decimal
      @Relationship(inverse: nil) var box: Carton?
      @Relationship(originalName: "others", inverse: nil) var more: [Parcel] = []
      var mark: UUID = UUID()
      init(_ name: String) { (self.name, weight) = (name, 0) }
    }
    @Model class Carton {
      var name: String
      init(_ name: String) { self.name = name }
    }
    static let models: [any PersistentModel.Type] = [Parcel.self, Carton.self]
  }

  @Suite("Time of migrations of many rows on a server", .serialized)
  struct PostgresMigrationGrowthTests {
    private func duration(rows: Int) throws -> Duration {
      let store = try ServerStore()
      _ = try store.open(Small.models)
      try store.catalog().connection.execute(
        """
        SET search_path TO "\(store.configuration.namespace)";
        INSERT INTO "Carton" (_osd_key, _osd_entity, name, size)
          SELECT n, CASE WHEN n % 2 = 0 THEN 'Tin' ELSE 'Carton' END, 'c', CASE WHEN n % 2 = 0 THEN 1 END
          FROM generate_series(1, \(rows)) AS n;
        INSERT INTO "Parcel" (_osd_key, name, weight, box)
          SELECT n, 'parcel ' || n, n, n FROM generate_series(1, \(rows)) AS n;
        INSERT INTO "_osd_link_Parcel_others" (owner, target)
          SELECT n, 1 + n % \(rows) FROM generate_series(1, \(rows)) AS n;
        UPDATE _osd_sequence SET next = \(rows + 1);
        """)
      let duration = try ContinuousClock().measure { _ = try store.open(Changed.models) }
      let context = ModelContext(try store.open(Changed.models))
      #expect(try context.fetchCount(FetchDescriptor<Changed.Parcel>()) == rows)
      #expect(try context.fetchCount(FetchDescriptor<Changed.Carton>()) == rows / 2)
      #expect(
        try context.fetchCount(FetchDescriptor<Changed.Parcel>(predicate: #Predicate { $0.box == nil })) == rows / 2)
      try store.checkLayout(like: Changed.models)
      return duration
    }

    @Test("migrating eight times as many rows takes less than twelve times as long")
    func growth() throws {
      _ = try duration(rows: 500)
      // Other load on the machine may slow down one attempt. Quadratic time would exceed the limit in each.
      #expect(try (0..<3).contains { _ in try isLinear() })
    }

    /// Linear time would be 8 times as long, quadratic time 64 times. The margin up to 12 allows for other load.
    private func isLinear() throws -> Bool {
      let small = try (0..<3).map { _ in try duration(rows: 4_000) }.min() ?? .zero
      let large = try (0..<2).map { _ in try duration(rows: 32_000) }.min() ?? .zero
      print("migrations on a server: 4,000 rows \(small), 32,000 rows \(large)")
      return large < small * 12
    }
  }
#endif
