import OpenSwiftData
import Testing

@Model
final class Vault {
  var label: String
  @Attribute(.encrypt) var secret: String
  @Attribute(.encrypt) var amount: Int
  var neighbour: Vault?

  init(_ label: String, secret: String, amount: Int) {
    self.label = label
    self.secret = secret
    self.amount = amount
  }
}

#if Encryption
  @Suite("Sorts and aggregates of encrypted properties", .serialized)
  struct EncryptedPathTests {
    private func context() throws -> ModelContext {
      let configuration = ModelConfiguration(isStoredInMemoryOnly: true, encryptionKey: .init())
      let context = ModelContext(try ModelContainer(for: Vault.self, configurations: configuration))
      let vault = Vault("a", secret: "x", amount: 3)
      vault.neighbour = Vault("b", secret: "y", amount: 4)
      context.insert(vault)
      try context.save()
      return context
    }

    @Test("a sort by an encrypted property, including one of a related model, throws a descriptive error")
    func orders() throws {
      let context = try context()
      let orders = [
        SortDescriptor(\Vault.neighbour?.secret), SortDescriptor(\.neighbour?.neighbour?.amount),
        SortDescriptor(\.secret, comparator: .localizedStandard),
      ]
      for order in orders {
        let error = #expect(throws: SwiftDataError.unsupportedSortDescriptor) {
          try context.fetch(FetchDescriptor(sortBy: [order]))
        }
        #expect(error?.explanation?.contains("is encrypted") == true)
      }
      #expect(try context.fetch(FetchDescriptor<Vault>(sortBy: [SortDescriptor(\.neighbour?.label)])).count == 2)
    }

    @Test("an aggregate of an encrypted property throws, and decrypts no row")
    func aggregates() throws {
      let context = try context()
      #expect(throws: SwiftDataError.unsupportedKeyPath) { try context.sum(of: \Vault.amount) }
      #expect(throws: SwiftDataError.unsupportedKeyPath) { try context.max(of: \Vault.neighbour?.secret) }
      #expect(throws: SwiftDataError.unsupportedKeyPath) { try context.distinct(\Vault.secret) }
      #expect(try context.aggregate(Vault.self, .count) == 2)
    }
  }
#endif
