import SwiftData
import Testing

@Suite("Regressions: changes made when an autosave is due but has not run yet", .serialized)
@MainActor
struct PendingAutosaveTests {
  private let clock = ManualClock()

  /// Advances the clock by 0.7 s, beyond the delay of an autosave, without suspending, so that the main actor cannot
  /// run the autosave.
  private func pass() { clock.pass(.seconds(0.7)) }

  private func letters(in context: ModelContext) throws -> (first: Letter, second: Letter) {
    context.autosaveClock = clock
    let first = Letter("a")
    let second = Letter("b")
    context.insert(first)
    context.insert(second)
    try context.save()
    return (first, second)
  }

  private func texts(_ store: TestStore) throws -> [String] {
    try store.context().fetch(FetchDescriptor<Letter>()).map(\.text).sorted()
  }

  @Test("a change made when an autosave is due is saved", arguments: Engine.allCases)
  func assignment(_ engine: Engine) throws {
    let store = try TestStore(engine, letterModels)
    let context = store.context()
    context.autosaveEnabled = true
    let (first, second) = try letters(in: context)
    first.text = "a1"
    pass()
    second.text = "b1"
    #expect(second.hasChanges)
    #expect(context.hasChanges)
    try context.save()
    #expect(try texts(store) == ["a1", "b1"])
  }

  @Test("an in-place change of a list made when an autosave is due is saved", arguments: Engine.allCases)
  func inPlace(_ engine: Engine) throws {
    let store = try TestStore(engine, letterModels)
    let context = store.context()
    context.autosaveEnabled = true
    let (first, second) = try letters(in: context)
    first.text = "a1"
    pass()
    second.tags.append("t")
    #expect(second.hasChanges)
    #expect(second.tags == ["t"])
    try context.save()
    #expect(try store.context().fetch(FetchDescriptor<Letter>()).flatMap(\.tags) == ["t"])
  }

  @Test(
    "a list member added when an autosave is due is saved, including the many-to-many pair", arguments: Engine.allCases)
  func newMember(_ engine: Engine) throws {
    let store = try TestStore(engine, graphModels)
    try store.keep(Course("course"))
    let context = store.context()
    context.autosaveClock = clock
    context.autosaveEnabled = true
    let course = try context.one("course", Course.self)
    course.name = "changed"
    pass()
    course.students.append(Student("student"))
    #expect(course.students.names == ["student"])
    try context.save()
    #expect(try store.context().one("changed", Course.self).students.names == ["student"])
  }

  @Test("in the main context, a change made when an autosave is due is saved", arguments: Engine.allCases)
  func mainContext(_ engine: Engine) throws {
    let store = try TestStore(engine, letterModels)
    let (first, second) = try letters(in: store.container.mainContext)
    first.text = "a1"
    pass()
    second.text = "b1"
    #expect(second.hasChanges)
    try store.container.mainContext.save()
    #expect(try texts(store) == ["a1", "b1"])
  }

  @Test("code that the autosave of a released context runs reads nil from modelContext", arguments: Engine.allCases)
  func closing(_ engine: Engine) throws {
    let store = try TestStore(engine, [Trap.self])
    let trap = Trap(1)
    let wasGone = Log<Bool>()
    // The save calls the closure synchronously on this thread, so the closure can use the model.
    nonisolated(unsafe) let observed = trap
    Tripwire.watch {
      wasGone.add(observed.modelContext == nil)
    } during: {
      let context = store.context()
      context.autosaveEnabled = true
      context.insert(trap)
    }
    #expect(wasGone.entries == [true])
    #expect(try store.context().fetchCount(FetchDescriptor<Trap>()) == 1)
  }
}
