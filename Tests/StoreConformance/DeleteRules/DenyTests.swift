import SwiftData
import Testing

@Suite("Delete rule: deny", .serialized)
struct DenyTests {
  private func store(_ engine: Engine) throws -> TestStore {
    let store = try TestStore(engine, deleteRuleModels)
    let vault = Vault("vault")
    vault.coins = named("ab") { Coin($0) }
    let locked = Vault("locked")
    locked.lock = Lock("lock")
    try store.keep(vault, locked, Vault("empty"))
    return store
  }

  private func vaults(_ store: TestStore) throws -> [String] { try store.context().names(of: Vault.self) }

  @Test(
    "the save throws and names both entities, the store is unchanged, and the deletion stays pending",
    arguments: Engine.allCases)
  func denied(_ engine: Engine) throws {
    let store = try store(engine)
    let context = store.context()
    let vault: Vault = try context.one("vault")
    context.insert(Coin("new"))
    context.delete(vault)
    let error = #expect(throws: SwiftDataError.self) { try context.save() }
    #expect(error == .modelValidationFailure)
    let words = "\(try #require(error))"
    #expect(words.contains("Vault") && words.contains("Coin") && words.contains("coins"), "\(words)")
    #expect(vault.isDeleted)
    #expect(context.deletedModelsArray.count == 1)
    #expect(context.insertedModelsArray.count == 1)
    #expect(try vaults(store) == ["empty", "locked", "vault"])
    #expect(try store.context().names(of: Coin.self) == letters("ab"))
    #expect(try store.context().one("vault", Vault.self).coins.names == letters("ab"))
  }

  @Test("a to-one relationship prevents the deletion like a list", arguments: Engine.allCases)
  func toOne(_ engine: Engine) throws {
    let store = try store(engine)
    let context = store.context()
    context.delete(try context.one("locked", Vault.self))
    #expect(throws: SwiftDataError.modelValidationFailure) { try context.save() }
    #expect(try store.context().one("lock", Lock.self).vault?.name == "locked")
  }

  @Test("an object without references is deleted", arguments: Engine.allCases)
  func empty(_ engine: Engine) throws {
    let store = try store(engine)
    let context = store.context()
    context.delete(try context.one("empty", Vault.self))
    try context.save()
    #expect(try vaults(store) == ["locked", "vault"])
  }

  @Test("an object can be deleted together with all objects that refer to it", arguments: Engine.allCases)
  func together(_ engine: Engine) throws {
    let store = try store(engine)
    let context = store.context()
    context.delete(try context.one("vault", Vault.self))
    for coin in try context.fetch(FetchDescriptor<Coin>()) { context.delete(coin) }
    try context.save()
    #expect(try vaults(store) == ["empty", "locked"])
    #expect(try store.context().names(of: Coin.self) == [])
  }

  @Test("one remaining reference prevents the deletion", arguments: Engine.allCases)
  func oneLeft(_ engine: Engine) throws {
    let store = try store(engine)
    let context = store.context()
    context.delete(try context.one("a", Coin.self))
    context.delete(try context.one("vault", Vault.self))
    #expect(throws: SwiftDataError.modelValidationFailure) { try context.save() }
    #expect(try store.context().names(of: Coin.self) == letters("ab"))
  }

  @Test("references that were removed before the deletion do not prevent it", arguments: Engine.allCases)
  func unset(_ engine: Engine) throws {
    let store = try store(engine)
    let context = store.context()
    let vault: Vault = try context.one("vault")
    vault.coins.removeAll()
    context.delete(vault)
    try context.save()
    #expect(try vaults(store) == ["empty", "locked"])
    #expect(try store.context().names(of: Coin.self) == letters("ab"))
  }

  @Test("a rollback undoes the deletion completely", arguments: Engine.allCases)
  func rollback(_ engine: Engine) throws {
    let store = try store(engine)
    let context = store.context()
    let vault: Vault = try context.one("vault")
    context.delete(vault)
    #expect(throws: SwiftDataError.modelValidationFailure) { try context.save() }
    context.rollback()
    #expect(!vault.isDeleted)
    #expect(vault.coins.names == letters("ab"))
    #expect(vault.coins.allSatisfy { $0.vault === vault })
    try context.save()
    #expect(try vaults(store) == ["empty", "locked", "vault"])
  }

  @Test("the error lists every reference that prevents a deletion", arguments: Engine.allCases)
  func all(_ engine: Engine) throws {
    let store = try store(engine)
    let context = store.context()
    for vault in try context.fetch(FetchDescriptor<Vault>()) { context.delete(vault) }
    let error = #expect(throws: SwiftDataError.self) { try context.save() }
    let words = "\(try #require(error))"
    #expect(words.contains("coins") && words.contains("lock"), "\(words)")
    #expect(try vaults(store) == ["empty", "locked", "vault"])
  }

  @Test("references that another context saved meanwhile prevent the deletion too", arguments: Engine.allCases)
  func meanwhile(_ engine: Engine) throws {
    let store = try store(engine)
    let (here, there) = (store.context(), store.context())
    here.delete(try here.one("empty", Vault.self))
    try there.one("a", Coin.self).vault = try there.one("empty")
    try there.save()
    #expect(throws: SwiftDataError.modelValidationFailure) { try here.save() }
    #expect(try store.context().one("a", Coin.self).vault?.name == "empty")
  }

  @Test("an object that refers to a model with the rule can be deleted", arguments: Engine.allCases)
  func otherSide(_ engine: Engine) throws {
    let store = try store(engine)
    let context = store.context()
    let vault: Vault = try context.one("vault")
    context.delete(try context.one("a", Coin.self))
    #expect(vault.coins.names == ["b"])
    try context.save()
    #expect(try store.context().one("vault", Vault.self).coins.names == ["b"])
  }
}
