import SourceCompatibilityModels
import SwiftData
import Testing

@Suite("Models of another module")
struct OtherModuleTests {
  @Test("Public models are stored, changed and queried in another module") func publicModels() throws {
    let opened = Date(timeIntervalSinceReferenceDate: 100)
    let account = Account(name: "a", opened: opened)
    account.book(10)
    account.kind = .savings
    let branch = Account.Branch(city: "c", secret: 7)
    account.branch = branch
    try roundTrip(changing: account) {
      $0.book(-2.5)
    } then: {
      #expect($0.name == "a")
      #expect($0.balance == 7.5)
      #expect($0.opened == opened)
      #expect($0.kind == .savings)
      #expect($0.branch == branch)
      #expect($0.bookings.map(\.amount) == [10, -2.5])
    }
  }

  @Test("Predicates and sorts use public properties") func queries() throws {
    let container = try ModelContainer(
      for: Schema(versionedSchema: BankSchema.self), configurations: [ModelConfiguration(isStoredInMemoryOnly: true)])
    let context = ModelContext(container)
    for name in ["c", "a", "b"] { context.insert(Account(name: name, opened: Date())) }
    try context.save()
    let found = try context.fetch(
      FetchDescriptor<Account>(predicate: #Predicate { $0.name != "b" }, sortBy: [SortDescriptor(\.name)]))
    #expect(found.map(\.name) == ["a", "c"])
    found[0].branch = Account.Branch(city: "Oslo", secret: nil)
    try context.save()
    #expect(try context.fetchCount(FetchDescriptor<Account>(predicate: #Predicate { $0.branch?.city == "Oslo" })) == 1)
  }
}
