import OpenSwiftData
import SourceCompatibilityModels
import Testing

@Suite("Actor models of another module")
@MainActor struct OtherModuleActorTests {
  private func container() throws -> ModelContainer {
    let container = try memoryContainer([Deposit.self, Depositor.self])
    let owner = Depositor(name: "Ada")
    for (number, name) in [(1, "c"), (2, "a"), (3, "b")] {
      let deposit = Deposit(number: number, name: name, stars: number * 10, owner: number == 2 ? owner : nil)
      container.mainContext.insert(deposit)
    }
    try container.mainContext.save()
    return container
  }

  @Test("Predicates and sorts use the nonisolated twins of public properties, and are evaluated by the store")
  func queries() throws {
    let container = try container()
    let context = container.mainContext
    let descriptor = FetchDescriptor<Deposit>(
      predicate: #Predicate { $0._stars > 10 && $0._number != 9 }, sortBy: [SortDescriptor(\._name)])
    #expect(try descriptor.explain(in: context).inMemory.isEmpty)
    #expect(try context.fetch(descriptor).map(\._name) == ["a", "b"])
    let byNumber = FetchDescriptor<Deposit>(sortBy: [SortDescriptor(\._number, order: .reverse)])
    #expect(try byNumber.explain(in: context).inMemory.isEmpty)
    #expect(try context.fetch(byNumber).map(\._number) == [3, 2, 1])
  }

  @Test("Predicates follow relationships to the nonisolated twins of related models") func relationships() throws {
    let container = try container()
    let context = container.mainContext
    let owned = FetchDescriptor<Deposit>(
      predicate: #Predicate { $0._owner?._name == "Ada" }, sortBy: [SortDescriptor(\._owner?._name)])
    #expect(try owned.explain(in: context).inMemory.isEmpty)
    #expect(try context.fetch(owned).map(\._number) == [2])
    let holding = FetchDescriptor<Depositor>(
      predicate: #Predicate { depositor in depositor._deposits.contains { $0._stars == 20 } })
    #expect(try holding.explain(in: context).inMemory.isEmpty)
    #expect(try context.fetchCount(holding) == 1)
  }

  @Test("Aggregates use the nonisolated twins") func aggregates() throws {
    let container = try container()
    #expect(try container.mainContext.sum(of: \Deposit._stars) == 60)
    #expect(try container.mainContext.max(of: \Deposit._number) == 3)
  }

  #if Encryption
    @Test(
      "Predicates compare encrypted properties only with nil, also through their twins; sorts by them throw"
    )
    func encrypted() throws {
      let configuration = ModelConfiguration(isStoredInMemoryOnly: true, encryptionKey: .init())
      let container = try ModelContainer(for: SafeBox.self, configurations: configuration)
      let context = container.mainContext
      context.insert(SafeBox(label: "a", code: "x", hint: nil))
      context.insert(SafeBox(label: "b", code: "y", hint: "h"))
      try context.save()
      let asking = FetchDescriptor<SafeBox>(predicate: #Predicate { $0._code == "x" })
      let predicate = #expect(throws: SwiftDataError.unsupportedPredicate) { try context.fetch(asking) }
      #expect(predicate?.explanation?.contains("SafeBox.code is encrypted") == true)
      let ordered = FetchDescriptor<SafeBox>(sortBy: [SortDescriptor(\._code)])
      let order = #expect(throws: SwiftDataError.unsupportedSortDescriptor) { try context.fetch(ordered) }
      #expect(order?.explanation?.contains("SafeBox.code is encrypted") == true)
      #expect(throws: SwiftDataError.unsupportedKeyPath) { try context.distinct(\SafeBox._code) }
      let withoutHint = FetchDescriptor<SafeBox>(predicate: #Predicate { $0._hint == nil })
      #expect(try context.fetchCount(withoutHint) == 1)
      let sorted = FetchDescriptor<SafeBox>(sortBy: [SortDescriptor(\._label)])
      #expect(try context.fetch(sorted).map(\._code) == ["x", "y"])
    }
  #endif
}
