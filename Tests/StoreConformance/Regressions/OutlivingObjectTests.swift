import SwiftData
import Testing

@Suite("Regressions: objects and files that outlive their context", .serialized)
struct OutlivingObjectTests {
  private let schoolModels: [any PersistentModel.Type] = [Teacher.self, Pupil.self]

  /// The number of open file descriptors of this process whose path begins with the store's path.
  private func openFiles(of url: URL) throws -> Int {
    let folder = "/proc/self/fd"
    return try FileManager.default.contentsOfDirectory(atPath: folder).count { name in
      // The list also contains the descriptor with which the folder was listed. It is closed by now, so its link cannot
      // be read.
      let path = try? FileManager.default.destinationOfSymbolicLink(atPath: "\(folder)/\(name)")
      return path?.hasPrefix(url.path) ?? false
    }
  }

  private struct School {
    weak var teacher: Teacher?
    weak var pupil: Pupil?
  }

  /// Saves a teacher and a pupil that refer to each other, and reads both relationships in the same context and in
  /// another one. Returns weak references to the objects.
  private func useSchool(_ container: ModelContainer) throws -> [School] {
    let writer = ModelContext(container)
    let teacher = Teacher("teacher")
    let pupil = Pupil("pupil")
    teacher.pupils = [pupil]
    pupil.teacher = teacher
    pupil.friend = pupil
    writer.insert(teacher)
    try writer.save()
    #expect(teacher.pupils.first?.teacher === teacher)
    let reader = ModelContext(container)
    let found = try #require(try reader.fetch(FetchDescriptor<Teacher>()).first)
    let other = try #require(found.pupils.first)
    #expect(other.teacher === found)
    #expect(other.friend === other)
    return [School(teacher: teacher, pupil: pupil), School(teacher: found, pupil: other)]
  }

  @Test(
    "the autosave of a released context saves a reference to an object of a context that was released before",
    arguments: Engine.allCases)
  func referenceToEnded(_ engine: Engine) throws {
    let store = try TestStore(engine, schoolModels)
    let writer = store.context()
    writer.insert(Teacher("teacher"))
    writer.insert(Pupil("pupil"))
    try writer.save()
    func ended() throws -> Teacher { try #require(try store.context().fetch(FetchDescriptor<Teacher>()).first) }
    let teacher = try ended()
    func change() throws {
      let context = store.context()
      context.autosaveEnabled = true
      let pupil = try #require(try context.fetch(FetchDescriptor<Pupil>()).first)
      pupil.name = "changed"
      teacher.pupils = [pupil]
    }
    try change()
    let pupil = try #require(try store.context().fetch(FetchDescriptor<Pupil>()).first)
    #expect(pupil.name == "changed")
    #expect(pupil.teacher?.name == "teacher")
  }

  @Test(
    "the autosave of a released context writes no many-to-many pair with an object of another store",
    arguments: Engine.allCases)
  func pairWithOtherStore(_ engine: Engine) throws {
    let (store, other) = (try TestStore(engine, graphModels), try TestStore(engine, graphModels))
    // The second store's course has the same primary key as the first store's course. The save must not take one for
    // the other.
    try store.keep(Student("student"), Course("course"))
    try other.keep(Course("theirs"))
    func ended() throws -> Course { try #require(try other.context().fetch(FetchDescriptor<Course>()).first) }
    let course = try ended()
    func change() throws {
      let context = store.context()
      context.autosaveEnabled = true
      course.students = [try context.one("student", Student.self)]
    }
    try change()
    #expect(try store.context().one("student", Student.self).courses.isEmpty)
  }

  @Test("the autosave of a released context saves a changed order of a list", arguments: Engine.allCases)
  func order(_ engine: Engine) throws {
    let store = try TestStore(engine, graphModels)
    try store.keep(Shop("corner", wares: named("abc") { Ware($0) }))
    func change() throws {
      let context = store.context()
      context.autosaveEnabled = true
      let shop = try context.one("corner", Shop.self)
      shop.wares.swapAt(0, 2)
    }
    try change()
    #expect(try store.context().one("corner", Shop.self).wares.names == ["c", "b", "a"])
  }

  @Test("the autosave of a released context saves additions to a list that was not read", arguments: Engine.allCases)
  func unreadList(_ engine: Engine) throws {
    let store = try TestStore(engine, graphModels)
    let student = Student("student")
    student.courses = [Course("first")]
    try store.keep(student, Course("second"))
    func change() throws {
      let context = store.context()
      context.autosaveEnabled = true
      let course = try context.one("second", Course.self)
      course.students.append(try context.one("student", Student.self))
    }
    try change()
    #expect(try store.context().one("student", Student.self).courses.names == ["first", "second"])
  }

  @Test("objects that retain each other are released with their context, and no file stays open")
  func cycle() throws {
    let folder = try TestStore.makeFolder()
    defer { try? FileManager.default.removeItem(at: folder) }
    let url = folder.appending(path: "cycle.store")
    func use() throws -> [School] {
      let schema = Schema(schoolModels)
      let container = try ModelContainer(
        for: schema, configurations: [ModelConfiguration(schema: schema, url: url)])
      let schools = try useSchool(container)
      #expect(try openFiles(of: url) > 0)
      return schools
    }
    for school in try use() {
      #expect(school.teacher == nil)
      #expect(school.pupil == nil)
    }
    #expect(try openFiles(of: url) == 0)
  }

  @Test("objects of a store in memory that retain each other are released with their context")
  func cycleInMemory() throws {
    let store = try TestStore(.memory, schoolModels)
    for school in try useSchool(store.container) {
      #expect(school.teacher == nil)
      #expect(school.pupil == nil)
    }
  }

  @Test("objects that were read after the release of their context are released too, and no file stays open")
  func cycleOfOutliving() throws {
    let folder = try TestStore.makeFolder()
    defer { try? FileManager.default.removeItem(at: folder) }
    let url = folder.appending(path: "outliving.store")
    func use() throws {
      let schema = Schema(schoolModels)
      var container: ModelContainer? = try ModelContainer(
        for: schema, configurations: [ModelConfiguration(schema: schema, url: url)])
      _ = try useSchool(try #require(container))
      var context: ModelContext? = ModelContext(try #require(container))
      let teacher = try #require(try context?.fetch(FetchDescriptor<Teacher>()).first)
      context = nil
      container = nil
      #expect(context == nil && container == nil)
      #expect(teacher.pupils.first?.teacher?.pupils.first?.friend?.name == "pupil")
    }
    try use()
    #expect(try openFiles(of: url) == 0)
  }

  @Test("an object that outlives its context reads its relationships from the store", arguments: Engine.allCases)
  func relationships(_ engine: Engine) throws {
    let store = try TestStore(engine, letterModels)
    let writer = store.context()
    let written = Letter("letter", seal: Stamp("seal"))
    written.stamps = [Stamp("one"), Stamp("two")]
    writer.insert(written)
    try writer.save()
    let reader = store.context()
    for wasRead in [false, true] {
      var context: ModelContext? = store.context()
      let letter = try #require(try context?.fetch(FetchDescriptor<Letter>()).first)
      if wasRead {
        #expect(letter.seal?.text == "seal")
        #expect(letter.stamps.count == 2)
      }
      context = nil
      #expect(letter.modelContext == nil)
      #expect(letter.text == "letter")
      #expect(letter.seal?.text == "seal")
      #expect(letter.stamps.map(\.text).sorted() == ["one", "two"])
    }
    let stamp = try #require(try reader.fetch(FetchDescriptor<Stamp>()).first { $0.text == "two" })
    stamp.text = "changed"
    try reader.save()
    var context: ModelContext? = store.context()
    let letter = try #require(try context?.fetch(FetchDescriptor<Letter>()).first)
    context = nil
    #expect(context == nil)
    #expect(letter.stamps.map(\.text).sorted() == ["changed", "one"])
  }

  @Test("an unsaved object of a released context can be inserted into another context", arguments: Engine.allCases)
  func unsaved(_ engine: Engine) throws {
    let store = try TestStore(engine, letterModels)
    let letter = Letter("letter", seal: Stamp("seal"))
    do { store.context().insert(letter) }
    #expect(letter.modelContext == nil)
    #expect(letter.seal?.text == "seal")
    let context = store.context()
    context.insert(letter)
    #expect(letter.modelContext === context)
    try context.save()
    let third = store.context()
    let stored = try #require(try third.fetch(FetchDescriptor<Letter>()).first)
    #expect(stored.text == "letter")
    #expect(stored.seal?.text == "seal")
  }

  @Test(
    "if the release of a context notifies an observer, modelContext of the objects is nil", arguments: Engine.allCases)
  func observer(_ engine: Engine) throws {
    let store = try TestStore(engine, schoolModels)
    let teacher = Teacher("teacher")
    let pupil = Pupil("pupil")
    let found = Log<Bool>()
    do {
      let context = store.context()
      teacher.pupils = [pupil]
      pupil.teacher = teacher
      context.insert(teacher)
      try context.save()
      // The release of the context calls the observers on this thread, so they can use the objects.
      nonisolated(unsafe) let observed = (teacher, pupil)
      for read in [{ _ = teacher.pupils }, { _ = pupil.teacher }] {
        withObservationTracking(read) {
          found.add(observed.0.modelContext != nil)
          found.add(observed.1.modelContext != nil)
        }
      }
    }
    #expect(!found.entries.contains(true))
    #expect(teacher.pupils.first?.teacher?.name == "teacher")
  }

  @Test("deleted objects that retain each other do not keep files open")
  func deletedCycle() throws {
    let folder = try TestStore.makeFolder()
    defer { try? FileManager.default.removeItem(at: folder) }
    let url = folder.appending(path: "deleted.store")
    func use() throws {
      let schema = Schema(schoolModels)
      let container = try ModelContainer(
        for: schema, configurations: [ModelConfiguration(schema: schema, url: url)])
      let context = ModelContext(container)
      let teacher = Teacher("teacher")
      let pupil = Pupil("pupil")
      teacher.pupils = [pupil]
      pupil.teacher = teacher
      context.insert(teacher)
      try context.save()
      context.delete(pupil)
      context.delete(teacher)
      try context.save()
    }
    try use()
    #expect(try openFiles(of: url) == 0)
  }
}
