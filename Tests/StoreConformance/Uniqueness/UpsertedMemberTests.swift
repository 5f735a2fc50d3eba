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

@Suite("The order of lists with new members that upserts merge into existing rows")
struct UpsertedMemberTests {
  /// Saves first the casks named in `free`, which are in no cellar, and then a cellar with the casks named in `inside`.
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

  @Test(
    "new members keep the positions at which they were added, whether the list was read or not",
    arguments: Engine.allCases,
    [false, true])
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

  @Test(
    "if their owner is merged into a row too, new members come after the members of that row",
    arguments: Engine.allCases)
  func ofUpsertedOwner(_ engine: Engine) throws {
    let store = try store(engine, free: "x", inside: "abc")
    let context = store.context()
    let cellar = Cellar("deep")
    context.insert(cellar)
    cellar.casks = [Cask("x")]
    try context.save()
    #expect(try casks(store) == "abcx")
  }

  @Test(
    "if two new owners are merged into one row, their members are in the same order as after two separate saves",
    arguments: Engine.allCases, [false, true])
  func ofSeveralOwners(_ engine: Engine, isApart: Bool) throws {
    let store = try store(engine, free: "xy", inside: "abc")
    let context = store.context()
    let (first, second) = (Cellar("deep"), Cellar("deep"))
    context.insert(first)
    if isApart {
      first.casks = letters("dxe").map { Cask($0) }
      try context.save()
    }
    context.insert(second)
    second.casks = letters("fyg").map { Cask($0) }
    // The casks of the first owner are created last, so that they get greater keys than those of the second owner.
    if !isApart { first.casks = letters("dxe").map { Cask($0) } }
    try context.save()
    for owner in [first, second] { #expect(owner.casks.names.joined() == "abcdxefyg") }
    #expect(try casks(store) == "abcdxefyg")
    try store.reopen()
    #expect(try casks(store) == "abcdxefyg")
  }

  @Test(
    "if two new owners become one new row, their members are in the order of the owners", arguments: Engine.allCases)
  func ofNewRow(_ engine: Engine) throws {
    let store = try TestStore(engine, [Cellar.self, Cask.self])
    let context = store.context()
    let owners = [Cellar("deep"), Cellar("deep")]
    for owner in owners { context.insert(owner) }
    for number in [1, 0] { owners[number].casks = letters(["abc", "def"][number]).map { Cask($0) } }
    try context.save()
    for owner in owners { #expect(owner.casks.names.joined() == "abcdef") }
    #expect(try casks(store) == "abcdef")
  }

  @Test(
    "new members are in the order of the list, after the row's members, regardless of the order of their insertion",
    arguments: Engine.allCases)
  func insertedBackwards(_ engine: Engine) throws {
    let store = try store(engine, free: "", inside: "abc")
    let context = store.context()
    let cellar = Cellar("deep")
    let casks = letters("def").map { Cask($0) }
    for cask in casks.reversed() { context.insert(cask) }
    context.insert(cellar)
    cellar.casks = casks
    try context.save()
    #expect(try self.casks(store) == "abcdef")
  }
}
