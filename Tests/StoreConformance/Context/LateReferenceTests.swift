import SwiftData
import Testing

/// A model with a value whose encoding runs the test's code, before the other columns of the row are written.
@Model private final class Fuse {
  @Attribute(.codable) var wire: Tripwire
  var stamp: Stamp?
  var count: Int = 0

  init(_ number: Int) {
    wire = Tripwire(number)
  }
}

@Suite("References that user code sets to new objects during a save", .serialized)
struct LateReferenceTests {
  /// Saves. While the first value is encoded, `change` runs.
  private func save(_ context: ModelContext, _ change: @escaping () -> Void) -> Bool {
    let runs = Log<Bool>()
    nonisolated(unsafe) let unsafeChange = change
    var succeeds = true
    Tripwire.watch {
      runs.add(true)
      if runs.entries.count == 1 { unsafeChange() }
    } during: {
      do { try context.save() } catch { succeeds = false }
    }
    return succeeds && !runs.entries.isEmpty
  }

  @Test(
    "the next save writes the reference, and the row keeps its old reference until then", arguments: Engine.allCases)
  func optional(_ engine: Engine) throws {
    let store = try TestStore(engine, graphModels + [Trap.self])
    let context = store.context()
    let (shop, ware) = (Shop("first"), Ware("w"))
    ware.shop = shop
    context.insert(ware)
    try context.save()
    ware.name = "changed"
    context.insert(Trap(1))
    #expect(save(context) { ware.shop = Shop("late") })
    #expect(ware.hasChanges && context.insertedModelsArray.count == 1 && ware.shop?.name == "late")
    #expect(try store.context().one("changed", Ware.self).shop?.name == "first")
    try context.save()
    #expect(!context.hasChanges && shop.wares.isEmpty)
    let stored = try store.context().one("changed", Ware.self)
    #expect(stored.shop?.name == "late" && stored.shop?.wares.count == 1)
  }

  @Test("the next save writes a required reference", arguments: Engine.allCases)
  func required(_ engine: Engine) throws {
    let store = try TestStore(engine, graphModels + [Trap.self])
    let context = store.context()
    let line = ReceiptLine("l", receipt: Receipt("first"))
    context.insert(line)
    try context.save()
    line.name = "changed"
    context.insert(Trap(1))
    #expect(save(context) { line.receipt = Receipt("late") })
    #expect(try store.context().one("changed", ReceiptLine.self).receipt.name == "first")
    try context.save()
    #expect(!context.hasChanges)
    #expect(try store.context().one("changed", ReceiptLine.self).receipt.name == "late")
  }

  @Test("the next save writes the reference of a new row", arguments: Engine.allCases, [false, true])
  func inserted(_ engine: Engine, holdsOne: Bool) throws {
    let store = try TestStore(engine, letterModels + [Fuse.self])
    let context = store.context()
    let fuse = Fuse(1)
    if holdsOne { fuse.stamp = Stamp("first") }
    fuse.count = 5
    context.insert(fuse)
    #expect(save(context) { fuse.stamp = Stamp("late") })
    #expect(fuse.hasChanges && context.insertedModelsArray.count == 1)
    let before = try #require(try store.context().fetch(FetchDescriptor<Fuse>()).first)
    #expect(before.stamp?.text == (holdsOne ? "first" : nil) && before.count == 5)
    try context.save()
    #expect(!context.hasChanges)
    #expect(try store.context().fetch(FetchDescriptor<Fuse>()).map { $0.stamp?.text } == ["late"])
  }

  @Test("the same code can replace the reference by one to a saved object", arguments: Engine.allCases)
  func again(_ engine: Engine) throws {
    let store = try TestStore(engine, graphModels + [Trap.self])
    let context = store.context()
    let (first, second, ware) = (Shop("first"), Shop("second"), Ware("w"))
    ware.shop = first
    for model in [second, ware] as [any PersistentModel] { context.insert(model) }
    try context.save()
    ware.name = "changed"
    context.insert(Trap(1))
    let succeeds = save(context) {
      ware.shop = Shop("late")
      ware.shop = second
    }
    #expect(succeeds)
    try context.save()
    #expect(!context.hasChanges)
    #expect(try store.context().one("changed", Ware.self).shop?.name == "second")
  }

  @Test(
    "the reference causes no conflict with another context's changes to other properties", arguments: Engine.allCases)
  func conflict(_ engine: Engine) throws {
    let store = try TestStore(engine, graphModels + [Trap.self])
    let context = store.context()
    context.conflictPolicy = .throwError
    let ware = Ware("w")
    ware.shop = Shop("first")
    context.insert(ware)
    try context.save()
    ware.name = "changed"
    context.insert(Trap(1))
    #expect(save(context) { ware.shop = Shop("late") })
    let there = store.context()
    try there.one("changed", Ware.self).name = "theirs"
    try there.save()
    try context.save()
    #expect(context.resolvedConflicts.isEmpty)
    #expect(try store.context().one("theirs", Ware.self).shop?.name == "late")
  }
}
