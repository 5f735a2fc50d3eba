import SwiftData
import Testing

@Suite("Delete rule: no action", .serialized)
struct NoActionTests {
  private func store(_ engine: Engine) throws -> TestStore {
    let store = try TestStore(engine, deleteRuleModels)
    let ledger = Ledger("ledger")
    ledger.entries = named("ab") { Entry($0) }
    ledger.auditors = [Auditor("Ada")]
    let other = Ledger("other")
    other.auditors = ledger.auditors
    let anchor = Anchor("anchor")
    try store.keep(ledger, Rope("rope", anchor: anchor))
    return store
  }

  @Test(
    "referring objects are unchanged, and reading their dangling references does not trap", arguments: Engine.allCases)
  func stay(_ engine: Engine) throws {
    let store = try store(engine)
    let context = store.context()
    let entry: Entry = try context.one("a")
    let auditor: Auditor = try context.one("Ada")
    context.delete(try context.one("ledger", Ledger.self))
    #expect(!entry.isDeleted && !auditor.isDeleted)
    try context.save()
    #expect(entry.ledger?.isDeleted != false)
    #expect(auditor.ledgers.names.contains("other"))
    let fresh = store.context()
    #expect(try fresh.names(of: Entry.self) == letters("ab"))
    for entry in try fresh.fetch(FetchDescriptor<Entry>()) {
      #expect(entry.ledger?.isDeleted != false)
      _ = entry.ledger?.name
      _ = entry.ledger?.entries.count
    }
    #expect(try fresh.one("Ada", Auditor.self).ledgers.filter { !$0.isDeleted }.names == ["other"])
    #expect(try fresh.names(of: Ledger.self) == ["other"])
  }

  @Test("referring objects can be changed, related and deleted after the deletion", arguments: Engine.allCases)
  func goOn(_ engine: Engine) throws {
    let store = try store(engine)
    let context = store.context()
    context.delete(try context.one("ledger", Ledger.self))
    try context.save()
    let fresh = store.context()
    let entry: Entry = try fresh.one("a")
    entry.name = "changed"
    fresh.delete(try fresh.one("b", Entry.self))
    try fresh.save()
    entry.ledger = try fresh.one("other")
    try fresh.save()
    #expect(try store.context().one("other", Ledger.self).entries.names == ["changed"])
    #expect(try store.context().names(of: Entry.self) == ["changed"])
  }

  @Test(
    "the deleted row's key is not reused for a new row", arguments: Engine.allCases)
  func keys(_ engine: Engine) throws {
    let store = try store(engine)
    let context = store.context()
    for ledger in try context.fetch(FetchDescriptor<Ledger>()) { context.delete(ledger) }
    try context.save()
    let fresh = store.context()
    fresh.insertAll(Ledger("new"), Ledger("newer"))
    try fresh.save()
    let reader = store.context()
    #expect(try reader.names(of: Entry.self) == letters("ab"))
    for entry in try reader.fetch(FetchDescriptor<Entry>()) {
      #expect(entry.ledger == nil || entry.ledger?.isDeleted == true, "\(entry.ledger?.name ?? "")")
    }
    #expect(try store.context().one("new", Ledger.self).entries.isEmpty)
  }

  @Test("a required reference to the deleted object returns a placeholder", arguments: Engine.allCases)
  func required(_ engine: Engine) throws {
    let store = try store(engine)
    let context = store.context()
    context.delete(try context.one("anchor", Anchor.self))
    try context.save()
    let fresh = store.context()
    let rope: Rope = try fresh.one("rope")
    #expect(rope.anchor.isDeleted)
    _ = rope.anchor.name
    _ = rope.anchor.ropes.count
  }
}
