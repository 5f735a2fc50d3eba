import SwiftData
import Testing

// Functions of the models' actor use the models synchronously; functions of another actor use `await`.

@VaultActor private func make(_ name: String) throws -> Coin {
  let context = VaultExecutor.shared.context
  let coin = try context.insert { Coin(name) }
  try context.save()
  return coin
}

@VisitorActor private func makeFromOutside(_ name: String) async throws -> Coin {
  let context = await VaultExecutor.shared.context
  let coin = try await context.insert { Coin(name) }
  try await context.save()
  return coin
}

@VaultActor private func find(_ name: String) throws -> Coin? {
  try VaultExecutor.shared.context.fetch(FetchDescriptor<Coin>(predicate: #Predicate { $0._name == name })).first
}

/// Code outside the models' actor may create the descriptor, because descriptors are Sendable.
@VisitorActor private func findFromOutside(_ name: String) async throws -> Coin? {
  let descriptor = FetchDescriptor<Coin>(predicate: #Predicate { $0._name == name })
  return try await VaultExecutor.shared.context.fetch(descriptor).first
}

@VaultActor private func change(_ coin: Coin, to worth: Int) throws {
  coin.worth = worth
  try VaultExecutor.shared.context.save()
}

@VisitorActor private func changeFromOutside(_ coin: Coin, to worth: Int) async throws {
  try await Task { @VaultActor in
    coin.worth = worth
    try VaultExecutor.shared.context.save()
  }.value
}

@VaultActor private func remove(_ coin: Coin) throws {
  try VaultExecutor.shared.context.delete(coin)
  try VaultExecutor.shared.context.save()
}

@VisitorActor private func removeFromOutside(_ coin: Coin) async throws {
  let context = await VaultExecutor.shared.context
  try await context.delete(coin)
  try await context.save()
}

// The tests run one after another, because they share the global vault.
@Suite("References to models of actors", .serialized)
struct HoldingTests {
  @Test(
    "code of the models' actor creates, finds, changes and deletes models synchronously", arguments: Engine.allCases)
  @VaultActor func inside(_ engine: Engine) throws {
    let store = try TestStore(engine, [Coin.self])
    VaultExecutor.shared.open(store.container)
    defer { VaultExecutor.shared.close() }
    let coin = try make("penny")
    try change(coin, to: 5)
    #expect(try find("penny") === coin)
    #expect(try find("penny")?.worth == 5)
    try remove(coin)
    #expect(try find("penny") == nil)
  }

  @Test("code of another actor creates, finds, changes and deletes the models with await", arguments: Engine.allCases)
  @VisitorActor func outside(_ engine: Engine) async throws {
    let store = try TestStore(engine, [Coin.self])
    await VaultExecutor.shared.open(store.container)
    let coin = try await makeFromOutside("penny")
    try await changeFromOutside(coin, to: 5)
    let found = try await findFromOutside("penny")
    #expect(found === coin)
    let held = await found?.worth
    #expect(held == 5)
    let worth = try await ModelContainer.read(store.container)
    #expect(worth == [5])
    try await removeFromOutside(coin)
    #expect(try await findFromOutside("penny") == nil)
    await VaultExecutor.shared.close()
  }

  @Test("a class of the same actor can have a model as a property", arguments: Engine.allCases)
  func property(_ engine: Engine) async throws {
    let store = try TestStore(engine, [Coin.self])
    await VaultExecutor.shared.open(store.container)
    let showcase = Showcase()
    try await showcase.fill("penny")
    #expect(try await showcase.raise() == 2)
    #expect(try await ModelContainer.read(store.container) == [2])
    await VaultExecutor.shared.close()
  }

  @Test(
    "any actor that created a context can have the context's models as properties, on any thread",
    arguments: Engine.allCases)
  func anyActor(_ engine: Engine) async throws {
    let store = try TestStore(engine, [Journey.self])
    let collectors = (0..<20).map { _ in Collector(store.container) }
    try await withThrowingTaskGroup { group in
      for (index, collector) in collectors.enumerated() {
        group.addTask {
          try await collector.configure("\(index)")
          for turn in 0..<5 {
            let name = try await collector.rename("\(index).\(turn)")
            #expect(name == "\(index).\(turn)")
          }
        }
      }
      try await group.waitForAll()
    }
    let names = try store.context().fetch(FetchDescriptor<Journey>()).map(\.name)
    #expect(Set(names) == Set((0..<20).map { "\($0).4" }))
  }
}

extension ModelContainer {
  /// Reads the worth of all coins in another context.
  @VaultActor fileprivate static func read(_ container: ModelContainer) throws -> [Int] {
    try ModelContext(container).fetch(FetchDescriptor<Coin>(sortBy: [SortDescriptor(\._name)])).map(\.worth)
  }
}
