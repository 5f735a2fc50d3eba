import SwiftData
import Testing

@Suite("Changes that user code makes to rows of a batch while the batch is written", .serialized)
struct LateRowTests {
  /// Creates three saved traps with unsaved changes.
  private func changedTraps(_ engine: Engine) throws -> (store: TestStore, context: ModelContext, traps: [Trap]) {
    let store = try TestStore(engine, [Trap.self])
    let context = store.context()
    let traps = [Trap(1), Trap(2), Trap(3)]
    for trap in traps { context.insert(trap) }
    try context.save()
    for trap in traps { trap.wire.number += 10 }
    return (store, context, traps)
  }

  /// Saves. Whenever a value is encoded, `change` runs with the number of values that were encoded before.
  private func save(_ context: ModelContext, _ change: @escaping (Int) -> Void) -> Bool {
    let runs = Log<Bool>()
    nonisolated(unsafe) let unsafeChange = change
    var succeeds = true
    Tripwire.watch {
      runs.add(true)
      unsafeChange(runs.entries.count - 1)
    } during: {
      do { try context.save() } catch { succeeds = false }
    }
    return succeeds
  }

  private func numbers(in store: TestStore) throws -> [Int] {
    try store.context().fetch(FetchDescriptor<Trap>()).map(\.wire.number).sorted()
  }

  /// Changes a trap's number in another context, and saves it.
  private func change(_ number: Int, to other: Int, in store: TestStore) throws {
    let there = store.context()
    let traps = try there.fetch(FetchDescriptor<Trap>())
    let trap = try #require(traps.first { $0.wire.number == number })
    trap.wire = Tripwire(other)
    try there.save()
  }

  @Test("a change to a later row of the batch is written with that row", arguments: Engine.allCases, [false, true])
  func laterRow(_ engine: Engine, isNew: Bool) throws {
    let store = try TestStore(engine, [Trap.self])
    let context = store.context()
    context.conflictPolicy = .throwError
    let (first, second) = (Trap(1), Trap(2))
    context.insert(first)
    context.insert(second)
    if !isNew {
      try context.save()
      first.wire = Tripwire(11)
      second.wire = Tripwire(12)
    }
    let succeeds = save(context) { if $0 == 0 { second.wire = Tripwire(9) } }
    #expect(succeeds && !context.hasChanges && !first.hasChanges && !second.hasChanges)
    try change(9, to: 5, in: store)
    first.wire = Tripwire(3)
    try context.save()
    #expect(context.resolvedConflicts.isEmpty)
    #expect(try numbers(in: store) == [3, 5])
  }

  @Test(
    "changes before and after a row is written are checked for conflicts with the written value",
    arguments: Engine.allCases)
  func beforeAndAfter(_ engine: Engine) throws {
    let (store, context, traps) = try changedTraps(engine)
    let succeeds = save(context) { run in
      if run == 0 { traps[1].wire = Tripwire(9) }
      if run == 2 { traps[1].wire = Tripwire(10) }
    }
    #expect(succeeds && context.changedModelsArray.count == 1 && traps[1].hasChanges)
    #expect(try numbers(in: store) == [9, 11, 13])
    try change(9, to: 5, in: store)
    try context.save()
    let conflict = try #require(context.resolvedConflicts.first)
    #expect(conflict.read == "Tripwire(number: 9)" && conflict.ours == "Tripwire(number: 10)")
    #expect(try numbers(in: store) == [10, 11, 13])
    #expect(!context.hasChanges)
  }

  @Test(
    "a change to a row of a failed save is checked for conflicts with the value that was read",
    arguments: Engine.allCases)
  func inVain(_ engine: Engine) throws {
    let (store, context, traps) = try changedTraps(engine)
    traps[2].wire = Tripwire(-1)
    let succeeds = save(context) { if $0 == 0 { traps[1].wire = Tripwire(9) } }
    #expect(!succeeds && context.changedModelsArray.count == 3)
    #expect(try numbers(in: store) == [1, 2, 3])
    try change(2, to: 5, in: store)
    traps[2].wire = Tripwire(13)
    try context.save()
    let conflict = try #require(context.resolvedConflicts.first)
    #expect(conflict.read == "Tripwire(number: 2)" && conflict.ours == "Tripwire(number: 9)")
    #expect(try numbers(in: store) == [9, 11, 13])
    #expect(!context.hasChanges)
  }

  @Test(
    "a change to a list's order is saved together with the members that the change adds",
    arguments: Engine.allCases, [false, true])
  func order(_ engine: Engine, writesMember: Bool) throws {
    let models: [any PersistentModel.Type] = [Trap.self, Pupil.self, Teacher.self]
    let store = try TestStore(engine, models)
    let context = store.context()
    let (teacher, trap, late) = (Teacher("t"), Trap(1), Pupil("c"))
    teacher.pupils = [Pupil("a"), Pupil("b")]
    context.insert(teacher)
    context.insert(late)
    context.insert(trap)
    try context.save()
    teacher.name = "u"
    trap.wire = Tripwire(2)
    if writesMember { late.name = "d" }
    let succeeds = save(context) { if $0 == 0 { teacher.pupils.insert(late, at: 0) } }
    #expect(succeeds && context.hasChanges == !writesMember)
    try context.save()
    #expect(!context.hasChanges)
    let stored = try #require(try store.context().fetch(FetchDescriptor<Teacher>()).first)
    #expect(stored.pupils.map(\.name) == [late.name, "a", "b"])
  }
}
