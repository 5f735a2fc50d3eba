import SwiftData
import Testing

@Suite("Properties that share a change bit, in the autosave of a released context", .serialized)
struct SharedBitTests {
  private let models: [any PersistentModel.Type] = [Broad.self, BroadOwner.self]

  /// Changes an object in two contexts, saves the second context, and then releases the first one, which autosaves.
  /// Returns the stored object.
  private func end(
    _ policy: ModelContext.ConflictPolicy, in store: TestStore, _ change: (_ here: Broad, _ there: Broad) -> Void
  ) throws -> Broad {
    try store.keep(Broad())
    do {
      let (context, there) = (store.context(), store.context())
      context.autosaveEnabled = true
      context.conflictPolicy = policy
      let mine = try #require(try context.fetch(FetchDescriptor<Broad>()).first)
      change(mine, try #require(try there.fetch(FetchDescriptor<Broad>()).first))
      try there.save()
      withExtendedLifetime(context) {}
    }
    return try #require(try store.context().fetch(FetchDescriptor<Broad>()).first)
  }

  @Test(
    "properties that the context did not change keep the values that another context saved meanwhile",
    arguments: Engine.allCases)
  func others(_ engine: Engine) throws {
    let store = try TestStore(engine, models)
    let stored = try end(.mergeByProperty(keeping: .ours), in: store) { here, there in
      here.p70 = "ours"
      there.p65 = "theirs"
    }
    #expect([stored.p65, stored.p70] == ["theirs", "ours"])
  }

  @Test(
    "if the conflict policy prefers the other context, a property that both changed keeps the other context's value",
    arguments: Engine.allCases)
  func givingWay(_ engine: Engine) throws {
    let store = try TestStore(engine, models)
    let stored = try end(.mergeByProperty(keeping: .theirs), in: store) { here, there in
      (here.p69, here.p70) = ("ours", "ours")
      there.p70 = "theirs"
    }
    #expect([stored.p69, stored.p70] == ["ours", "theirs"])
  }
}
