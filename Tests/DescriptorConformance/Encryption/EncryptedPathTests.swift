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
  @Suite("Orders by what is encrypted, and calculations with it", .serialized)
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

    @Test("an order that leads to an encrypted property in any way is refused in words")
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

    @Test("a calculation with an encrypted property is refused, and does not open every row")
    func aggregates() throws {
      let context = try context()
      #expect(throws: SwiftDataError.unsupportedKeyPath) { try context.sum(of: \Vault.amount) }
      #expect(throws: SwiftDataError.unsupportedKeyPath) { try context.max(of: \Vault.neighbour?.secret) }
      #expect(throws: SwiftDataError.unsupportedKeyPath) { try context.distinct(\Vault.secret) }
      #expect(try context.aggregate(Vault.self, .count) == 2)
    }
  }
#endif
