import SwiftData
import Testing

@Model
final class Cellar: Named {
  @Attribute(.unique) var name: String
  @Relationship(inverse: \Cask.cellar) var casks: [Cask] = []

  init(_ name: String) {
    self.name = name
  }
}

@Model
final class Cask: Named {
  @Attribute(.unique) var name: String
  var cellar: Cellar?

  init(_ name: String, cellar: Cellar? = nil) {
    self.name = name
    self.cellar = cellar
  }
}

@Suite("New members of a list that become existing rows")
struct UpsertedMemberTests {
  /// A store with free casks, whose rows are older than those in the cellar.
  private func store(_ engine: Engine, free: String, inside: String) throws -> TestStore {
    let store = try TestStore(engine, [Cellar.self, Cask.self])
    let context = store.context()
    for name in letters(free) {
      context.insert(Cask(name))
      try context.save()
    }
    let cellar = Cellar("deep")
    context.insert(cellar)
    for name in letters(inside) {
      cellar.casks.append(Cask(name))
      try context.save()
    }
    return store
  }

  private func casks(_ store: TestStore) throws -> String {
    let context = store.context()
    return try context.one("deep", Cellar.self).casks.names.joined()
  }

  @Test("stand where they were added, whether the list was read or not", arguments: Engine.allCases, [false, true])
  func appended(_ engine: Engine, isRead: Bool) throws {
    let store = try store(engine, free: "xy", inside: "abc")
    let context = store.context()
    let cellar: Cellar = try context.one("deep")
    if isRead { try #require(cellar.casks.count == 3) }
    for name in letters("dxe") { context.insert(Cask(name, cellar: cellar)) }
    try context.save()
    #expect(cellar.casks.names.joined() == "abcdxe")
    #expect(try casks(store) == "abcdxe")
    context.insert(Cask("y", cellar: cellar))
    try context.save()
    #expect(try casks(store) == "abcdxey")
    try store.reopen()
    #expect(try casks(store) == "abcdxey")
  }

  @Test("stand behind the members of the row that their new owner becomes", arguments: Engine.allCases)
  func ofUpsertedOwner(_ engine: Engine) throws {
    let store = try store(engine, free: "x", inside: "abc")
    let context = store.context()
    let cellar = Cellar("deep")
    context.insert(cellar)
    cellar.casks = [Cask("x")]
    try context.save()
    #expect(try casks(store) == "abcx")
  }
}
