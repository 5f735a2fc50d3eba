import Dispatch
import SwiftData
import Synchronization
import Testing

@Suite("Regressions: observers that change or save models during an operation of the context")
struct MeddlingObserverTests {
  @Test("changes that an observer makes during a rollback are pending afterwards", arguments: Engine.allCases)
  func rollback(_ engine: Engine) throws {
    let store = try TestStore(engine, letterModels)
    let context = store.context()
    let first = Letter("a")
    let second = Letter("b")
    context.insert(first)
    context.insert(second)
    try context.save()
    first.text = "dirty"
    // The rollback calls the observer synchronously on this thread, so the observer can use the model.
    nonisolated(unsafe) let changed = second
    withObservationTracking {
      _ = first.text
    } onChange: {
      changed.text = "from the observer"
    }
    context.rollback()
    #expect(context.hasChanges)
    #expect(second.hasChanges)
    #expect(second.text == "from the observer")
    try context.save()
    second.count = 7
    #expect(context.hasChanges)
    try context.save()
    let third = store.context()
    let stored = try third.fetch(FetchDescriptor<Letter>(sortBy: [SortDescriptor(\.text)]))
    #expect(stored.map(\.text) == ["a", "from the observer"])
    #expect(stored.map(\.count) == [0, 7])
  }

  @Test("changes that an observer makes to the same object during a refresh are kept", arguments: Engine.allCases)
  func refresh(_ engine: Engine) throws {
    let store = try TestStore(engine, letterModels)
    let here = store.context()
    let letter = Letter("a")
    here.insert(letter)
    try here.save()
    let there = store.context()
    try #require(try there.fetch(FetchDescriptor<Letter>()).first).text = "remote"
    try there.save()
    // The fetch calls the observer synchronously on this thread, so the observer can use the model.
    nonisolated(unsafe) let changed = letter
    withObservationTracking {
      _ = letter.text
    } onChange: {
      changed.count = 99
    }
    _ = try here.fetch(FetchDescriptor<Letter>())
    #expect(letter.count == 99)
    #expect(letter.text == "remote")
    #expect(letter.hasChanges)
    try here.save()
    let third = store.context()
    let stored = try #require(try third.fetch(FetchDescriptor<Letter>()).first)
    #expect(stored.text == "remote")
    #expect(stored.count == 99)
  }

  @Test("if an observer of an assignment saves, the next save writes the assigned value", arguments: Engine.allCases)
  func saveBeforeValue(_ engine: Engine) throws {
    let store = try TestStore(engine, letterModels)
    let context = store.context()
    let letter = Letter("a")
    context.insert(letter)
    try context.save()
    // The assignment calls the observer synchronously on this thread, so the observer can use the context.
    nonisolated(unsafe) let saved = context
    withObservationTracking {
      _ = letter.text
    } onChange: {
      try? saved.save()
    }
    letter.text = "b"
    #expect(context.hasChanges && letter.hasChanges)
    try context.save()
    #expect(try store.context().fetch(FetchDescriptor<Letter>()).map(\.text) == ["b"])
  }

  @Test(
    "if an observer of an assignment saves, the next save writes the assigned reference", arguments: Engine.allCases)
  func saveBeforeReference(_ engine: Engine) throws {
    let store = try TestStore(engine, graphModels)
    try store.keep(Shop("corner", wares: [Ware("a")]), Shop("market"))
    let context = store.context()
    let ware = try context.one("a", Ware.self)
    let market = try context.one("market", Shop.self)
    nonisolated(unsafe) let saved = context
    withObservationTracking {
      _ = ware.shop
    } onChange: {
      try? saved.save()
    }
    ware.shop = market
    try context.save()
    #expect(!context.hasChanges)
    let other = store.context()
    #expect(try other.one("a", Ware.self).shop?.name == "market")
    #expect(try other.one("market", Shop.self).wares.names == ["a"])
  }

  @Test("if an observer of an assignment saves, the next save writes the assigned list", arguments: Engine.allCases)
  func saveBeforeList(_ engine: Engine) throws {
    let store = try TestStore(engine, graphModels)
    let context = store.context()
    let course = Course("course")
    context.insert(course)
    course.students = named("abc") { Student($0) }
    try context.save()
    nonisolated(unsafe) let saved = context
    withObservationTracking {
      _ = course.students
    } onChange: {
      try? saved.save()
    }
    course.students = Array(course.students.dropFirst())
    try context.save()
    #expect(!context.hasChanges)
    #expect(try store.context().one("course", Course.self).students.names == ["b", "c"])
  }

  @Test("an observer of willSave that saves does not make the save post willSave again", arguments: Engine.allCases)
  func saveInSave(_ engine: Engine) throws {
    let store = try TestStore(engine, letterModels)
    let context = store.context()
    let posts = Log<Bool>()
    // The save calls the observer synchronously on this thread, so the observer can use the context.
    nonisolated(unsafe) let saved = context
    let observer = NotificationCenter.default.addObserver(
      forName: ModelContext.willSave, object: context, queue: nil
    ) { _ in
      posts.add(true)
      // If a nested save wrongly posts the notification again, the limit ends the recursion.
      if posts.entries.count < 50 { try? saved.save() }
    }
    defer { NotificationCenter.default.removeObserver(observer) }
    context.insert(Letter("a"))
    try context.save()
    #expect(posts.entries.count == 1)
    #expect(try store.context().fetchCount(FetchDescriptor<Letter>()) == 1)
  }

  @Test("changes in a context of another thread never notify an observer", arguments: Engine.allCases)
  func otherThread(_ engine: Engine) throws {
    let store = try TestStore(engine, letterModels)
    let watched = Stamp("watched")
    let flag = changeFlag { _ = watched.text }
    let context = store.context()
    let listed = Stamp("listed")
    context.insert(listed)
    let listedFlag = changeFlag { _ = listed.text }
    let container = store.container
    let done = DispatchSemaphore(value: 0)
    let thread = Thread {
      let own = ModelContext(container)
      // A context has fewer observation boxes, in which observers register, than these 3,000 objects, so that objects
      // share boxes.
      for number in 0..<3000 {
        let stamp = Stamp("\(number)")
        own.insert(stamp)
        _ = stamp.text
        stamp.text = "changed"
      }
      done.signal()
    }
    thread.start()
    #expect(done.wait(timeout: .now() + 30) == .success)
    #expect(!flag.isRaised)
    #expect(!listedFlag.isRaised)
  }
}
