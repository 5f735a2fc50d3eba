import SwiftData
import Testing

@Suite("Changes that user code makes to models during their save", .serialized)
struct LateChangeTests {
  /// A saved letter and a saved trap. A save writes the letter before the trap.
  private struct Scene {
    let store: TestStore
    let context: ModelContext
    let letter = Letter("read")
    let trap = Trap(1)

    init(_ engine: Engine) throws {
      store = try TestStore(engine, letterModels + [Trap.self])
      context = store.context()
      context.insert(letter)
      context.insert(trap)
      try context.save()
    }

    /// Changes the letter and the trap, and saves. While the save writes the trap, user code changes the letter again.
    func save(_ number: Int = 2, _ change: @escaping (Letter) -> Void) -> Bool {
      nonisolated(unsafe) let (unsafeLetter, unsafeChange) = (letter, change)
      var succeeds = true
      Tripwire.watch {
        unsafeChange(unsafeLetter)
      } during: {
        letter.text = "written"
        trap.wire = Tripwire(number)
        do { try context.save() } catch { succeeds = false }
      }
      return succeeds
    }

    func stored() throws -> Letter { try #require(try store.context().fetch(FetchDescriptor<Letter>()).first) }

    func storedText() throws -> String { try stored().text }
  }

  @Test(
    "a change to a property that the save has already written is saved by the next save", arguments: Engine.allCases)
  func same(_ engine: Engine) throws {
    let scene = try Scene(engine)
    #expect(scene.save { $0.text = "late" })
    #expect(scene.letter.text == "late" && scene.letter.hasChanges && !scene.trap.hasChanges)
    #expect(scene.context.changedModelsArray.count == 1)
    #expect(try scene.storedText() == "written")
    try scene.context.save()
    #expect(try scene.storedText() == "late")
    #expect(!scene.context.hasChanges && !scene.letter.hasChanges)
  }

  @Test(
    "a change to a property that the save does not write is saved by the next save, which writes only this property",
    arguments: Engine.allCases)
  func another(_ engine: Engine) throws {
    let scene = try Scene(engine)
    #expect(scene.save { $0.count = 5 })
    #expect(scene.letter.hasChanges)
    let there = scene.store.context()
    try #require(try there.fetch(FetchDescriptor<Letter>()).first).text = "theirs"
    try there.save()
    try scene.context.save()
    let stored = try scene.stored()
    #expect(stored.count == 5 && stored.text == "theirs")
    #expect(scene.context.resolvedConflicts.isEmpty)
  }

  @Test("a change to a new object is saved by the next save", arguments: Engine.allCases)
  func inserted(_ engine: Engine) throws {
    let store = try TestStore(engine, letterModels + [Trap.self])
    let context = store.context()
    let letter = Letter("written")
    nonisolated(unsafe) let unsafeLetter = letter
    Tripwire.watch {
      unsafeLetter.text = "late"
    } during: {
      context.insert(letter)
      context.insert(Trap(1))
      #expect(throws: Never.self) { try context.save() }
    }
    #expect(letter.hasChanges && context.insertedModelsArray.isEmpty && context.changedModelsArray.count == 1)
    #expect(try store.context().fetch(FetchDescriptor<Letter>()).map(\.text) == ["written"])
    try context.save()
    #expect(try store.context().fetch(FetchDescriptor<Letter>()).map(\.text) == ["late"])
    #expect(!context.hasChanges)
  }

  @Test("adding a new object to a many-to-many relationship is saved by the next save", arguments: Engine.allCases)
  func pairs(_ engine: Engine) throws {
    let store = try TestStore(engine, graphModels + [Trap.self])
    let context = store.context()
    let (student, course, trap) = (Student("owner"), Course("owner"), Trap(1))
    student.courses = [Course("first")]
    course.students = [Student("first")]
    nonisolated(unsafe) let (unsafeStudent, unsafeCourse) = (student, course)
    for round in 1...2 {
      let late = "late \(round)"
      Tripwire.watch {
        let isKnown = unsafeStudent.courses.contains { $0.name == late }
        if !isKnown { unsafeStudent.courses.append(Course(late)) }
        if !isKnown { unsafeCourse.students.insert(Student(late), at: 0) }
      } during: {
        for model in [student, course, trap] as [any PersistentModel] { context.insert(model) }
        (student.name, course.name, trap.wire) = ("owner \(round)", "owner \(round)", Tripwire(round + 1))
        #expect(throws: Never.self) { try context.save() }
      }
      #expect(context.insertedModelsArray.count == 2)
      // Removes a join row that the save has just written.
      student.courses.removeAll { $0.name == "first" }
      try context.save()
      #expect(!context.hasChanges)
    }
    let there = store.context()
    let students = try there.fetch(FetchDescriptor<Student>()).filter { $0.name == "owner 2" }
    let courses = try there.fetch(FetchDescriptor<Course>()).filter { $0.name == "owner 2" }
    #expect(students.first?.courses.map(\.name) == ["late 1", "late 2"])
    #expect(courses.first?.students.map(\.name) == ["late 2", "late 1", "first"])
  }

  @Test("deleting a new object is saved by the next save", arguments: Engine.allCases)
  func deletion(_ engine: Engine) throws {
    let store = try TestStore(engine, letterModels + [Trap.self])
    let context = store.context()
    let letter = Letter("new")
    nonisolated(unsafe) let (unsafeContext, unsafeLetter) = (context, letter)
    Tripwire.watch {
      unsafeContext.delete(unsafeLetter)
    } during: {
      context.insert(letter)
      context.insert(Trap(1))
      #expect(throws: Never.self) { try context.save() }
    }
    #expect(letter.isDeleted && context.hasChanges)
    #expect(context.deletedModelsArray.count == 1 && context.insertedModelsArray.isEmpty)
    try context.save()
    #expect(letter.isDeleted && !context.hasChanges)
    #expect(try store.context().fetchCount(FetchDescriptor<Letter>()) == 0)
  }

  @Test("deleting a new object discards it if the save fails", arguments: Engine.allCases)
  func deletionInFailure(_ engine: Engine) throws {
    let store = try TestStore(engine, letterModels + [Trap.self])
    let context = store.context()
    let (letter, trap) = (Letter("new"), Trap(-1))
    nonisolated(unsafe) let (unsafeContext, unsafeLetter) = (context, letter)
    Tripwire.watch {
      unsafeContext.delete(unsafeLetter)
    } during: {
      context.insert(letter)
      context.insert(trap)
      #expect(throws: SwiftDataError.valueNotStorable) { try context.save() }
    }
    #expect(letter.modelContext == nil && context.insertedModelsArray.count == 1)
    #expect(context.deletedModelsArray.isEmpty)
    trap.wire = Tripwire(1)
    try context.save()
    #expect(try store.context().fetchCount(FetchDescriptor<Letter>()) == 0 && !context.hasChanges)
  }

  @Test("changes are checked for conflicts against the values that the save wrote", arguments: Engine.allCases)
  func conflict(_ engine: Engine) throws {
    let scene = try Scene(engine)
    #expect(scene.save { $0.text = "late" })
    let there = scene.store.context()
    try #require(try there.fetch(FetchDescriptor<Letter>()).first).text = "theirs"
    try there.save()
    try scene.context.save()
    let conflict = try #require(scene.context.resolvedConflicts.first)
    #expect([conflict.read, conflict.ours, conflict.theirs] == ["\"written\"", "\"late\"", "\"theirs\""])
    #expect(try scene.storedText() == "late")
  }

  @Test("a late change causes no conflict if no other context changed the property", arguments: Engine.allCases)
  func noConflict(_ engine: Engine) throws {
    let scene = try Scene(engine)
    scene.context.conflictPolicy = .throwError
    #expect(scene.save { $0.text = "late" })
    let there = scene.store.context()
    try #require(try there.fetch(FetchDescriptor<Letter>()).first).count = 7
    try there.save()
    try scene.context.save()
    let stored = try scene.stored()
    #expect(stored.text == "late" && stored.count == 7)
  }

  @Test("a rollback restores the values that the save has written", arguments: Engine.allCases)
  func rollback(_ engine: Engine) throws {
    let scene = try Scene(engine)
    #expect(scene.save { $0.text = "late" })
    scene.context.rollback()
    #expect(scene.letter.text == "written" && !scene.context.hasChanges)
  }

  @Test("a transaction that throws undoes the changes", arguments: Engine.allCases)
  func transaction(_ engine: Engine) throws {
    let scene = try Scene(engine)
    #expect(throws: Failure.self) {
      try scene.context.transaction {
        #expect(scene.save { $0.text = "late" })
        #expect(scene.letter.text == "late" && scene.context.hasChanges)
        throw Failure()
      }
    }
    #expect(scene.letter.text == "read" && !scene.context.hasChanges)
    #expect(try scene.storedText() == "read")
  }

  @Test("if the save fails, the late changes stay pending together with all other changes", arguments: Engine.allCases)
  func failure(_ engine: Engine) throws {
    let scene = try Scene(engine)
    #expect(!scene.save(-1) { $0.count = 5 })
    #expect(scene.letter.hasChanges && scene.trap.hasChanges)
    #expect(try scene.storedText() == "read")
    scene.trap.wire = Tripwire(3)
    try scene.context.save()
    let stored = try scene.stored()
    #expect(stored.text == "written" && stored.count == 5 && !scene.context.hasChanges)
  }

  @Test("a change to a list is saved once", arguments: Engine.allCases)
  func list(_ engine: Engine) throws {
    let scene = try Scene(engine)
    let stamp = Stamp("s")
    scene.context.insert(stamp)
    try scene.context.save()
    nonisolated(unsafe) let unsafeStamp = stamp
    #expect(scene.save { if $0.stamps.isEmpty { $0.stamps.append(unsafeStamp) } })
    try scene.context.save()
    #expect(scene.letter.stamps.map(\.text) == ["s"] && !scene.context.hasChanges)
    #expect(try scene.stored().stamps.map(\.text) == ["s"])
  }
}
