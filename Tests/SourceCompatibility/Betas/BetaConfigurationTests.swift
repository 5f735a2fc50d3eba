import SwiftData
import Testing

@Model private final class Account {
  var name: String
  init(_ name: String) { self.name = name }
}

@Suite("Configurations and containers in the deprecated spelling of the betas")
struct BetaConfigurationTests {
  @Test("Configurations define the location of a store and whether saves are allowed")
  func configurations() throws { try check(Configurations()) }

  @Test("Containers open the stores of configurations without a label")
  func containers() throws { try check(Containers()) }
}

private struct Configurations: Spelling {
  @available(*, deprecated)
  func check() throws {
    let schema = Schema([Account.self])
    let url = URL(filePath: "/tmp/accounts.store")
    #expect(ModelConfiguration(inMemory: true).isStoredInMemoryOnly)
    #expect(!ModelConfiguration(readOnly: true).allowsSave)
    let memory = ModelConfiguration(nil, schema: schema, inMemory: true, readOnly: true)
    #expect(memory.isStoredInMemoryOnly && !memory.allowsSave && memory.schema == schema)
    let shared = ModelConfiguration(
      nil, schema: schema, inMemory: false, readOnly: false, sharedAppContainerIdentifier: "group.accounts",
      cloudKitContainerIdentifier: "cloud")
    #expect(shared.url.path.contains("group.accounts") && shared.groupContainer == .identifier("group.accounts"))
    #expect(shared.cloudKitDatabase == .private("cloud") && shared.allowsSave && !shared.isStoredInMemoryOnly)
    #expect(ModelConfiguration(sharedAppContainerIdentifier: "group.a").groupContainer == .identifier("group.a"))
    #expect(ModelConfiguration("a", cloudKitContainerIdentifier: "cloud").cloudKitDatabase == .private("cloud"))
    #expect(ModelConfiguration("a", cloudKitContainerIdentifier: nil).cloudKitDatabase == .automatic)
    let grouped = ModelConfiguration(
      "a", schema: schema, inMemory: false, readOnly: true, groupContainer: .identifier("group.a"))
    #expect(
      grouped == ModelConfiguration("a", schema: schema, allowsSave: false, groupContainer: .identifier("group.a")))
    #expect(!ModelConfiguration("a", schema: schema, readOnly: true).allowsSave)
    let file = ModelConfiguration(schema: schema, url: url, cloudKitContainerIdentifier: "cloud")
    #expect(file.url == url && file.allowsSave && file.cloudKitDatabase == .private("cloud"))
    #expect(ModelConfiguration(url: url, readOnly: true) == ModelConfiguration(url: url, allowsSave: false))
  }
}

private struct Containers: Spelling {
  @available(*, deprecated)
  func check() throws {
    let memory = ModelConfiguration(inMemory: true)
    let schema = Schema([Account.self])
    let containers = [
      try ModelContainer(for: [Account.self], memory), try ModelContainer([Account.self], memory),
      try ModelContainer(for: Account.self, memory), try ModelContainer(for: schema, memory),
      try ModelContainer(for: Account.self, .init(inMemory: true)),
      try ModelContainer(for: [Account.self], configurations: memory),
    ]
    for container in containers {
      let context = ModelContext(container)
      context.insert(Account("a"))
      try context.save()
      #expect(try ModelContext(container).fetch(FetchDescriptor<Account>()).map(\.name) == ["a"])
      #expect(container.configurations.map(\.isStoredInMemoryOnly) == [true])
    }
  }
}
