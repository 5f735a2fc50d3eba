import ConformanceSupport
import SwiftData
import Testing

private enum Old {
  @Model final class Trip {
    var name: String
    var price: Decimal
    init(_ name: String, price: Decimal) {
      self.name = name
      self.price = price
    }
  }
}

private enum New {
  @Model final class Trip {
    #Index<Trip>([\.price])
    var name: String
    var price: Decimal
    var start: Date?
    var token: UUID?
    init(_ name: String, price: Decimal) {
      self.name = name
      self.price = price
    }
  }
}

private enum Renamed {
  @Model final class Trip {
    #Index<Trip>([\.cost])
    var name: String
    @Attribute(originalName: "price") var cost: Decimal
    var start: Date?
    init(_ name: String, cost: Decimal) {
      self.name = name
      self.cost = cost
    }
  }
}

@Suite("Comments in table definitions, and sort keys of decimals, after schema changes", .onSQLite)
struct RemarkMigrationTests {
  private func definition(_ store: MigratedStore) throws -> String {
    try RawDatabase(store.url.path).column("SELECT sql FROM sqlite_master WHERE name = 'Trip'").first ?? ""
  }

  @Test("a column keeps its comment when it is added or renamed, or when another column is removed")
  func changes() throws {
    let store = try MigratedStore()
    try store.use([Old.Trip.self]) { (context: ModelContext) throws in
      for number in -5...5 { context.insert(Old.Trip("\(number)", price: Decimal(number) / 4)) }
    }
    let limit: Decimal = -1
    try store.migrate(to: [New.Trip.self]) { (context: ModelContext) throws in
      let least = FetchDescriptor<New.Trip>(
        predicate: #Predicate { $0.price < limit }, sortBy: [SortDescriptor(\.price)])
      #expect(try context.fetch(least).map(\.name) == ["-5"])
    }
    let added = try definition(store)
    #expect(added.contains("\"start\" /* Date: seconds since 2001-01-01 UTC */ REAL"))
    #expect(added.contains("\"token\" /* UUID */ BLOB"))
    try store.migrate(to: [Renamed.Trip.self]) { (context: ModelContext) throws in
      let least = FetchDescriptor<Renamed.Trip>(
        predicate: #Predicate { $0.cost < limit }, sortBy: [SortDescriptor(\.cost)])
      #expect(try context.fetch(least).map(\.name) == ["-5"])
      #expect(try least.explain(in: context).plan.contains { $0.text.contains("_osd_index_Trip_cost (<expr><?)") })
    }
    let renamed = try definition(store)
    #expect(renamed.contains("\"cost\" /* Decimal */ TEXT NOT NULL") && !renamed.contains("UUID"))
    #expect(renamed.contains("\"start\" /* Date: seconds since 2001-01-01 UTC */ REAL"))
    #expect(try RawDatabase(store.url.path).problems() == [])
  }
}
