import SwiftData
import Testing

@Suite("Many-to-many relationships", .serialized)
struct ManyToManyTests {
  /// Ada takes the courses a, b, c and d; Bob takes d and a; Cid takes none.
  private func scene(_ situation: Situation) throws -> Scene {
    let students = ["Ada", "Bob", "Cid"].map { Student($0) }
    let courses = named("abcdef") { Course($0) }
    students[0].courses = Array(courses[0..<4])
    students[1].courses = [courses[3], courses[0]]
    return try Scene(situation, students + courses)
  }

  /// Compares the students of each course in any order, and the courses of each student in list order.
  private func expect(
    _ scene: Scene, _ wanted: [String: String], location: SourceLocation = #_sourceLocation
  ) throws {
    for student in try scene.find(["Ada", "Bob", "Cid"], Student.self) {
      let courses = letters(wanted[student.name] ?? "")
      #expect(student.courses.names == courses, "the courses of \(student.name)", sourceLocation: location)
    }
    for course in try scene.find(letters("abcdef"), Course.self) {
      let students = wanted.filter { $0.value.contains(course.name) }.keys.sorted()
      #expect(course.students.names.sorted() == students, "the students of \(course.name)", sourceLocation: location)
    }
  }

  @Test(
    "every in-place change of a list changes the inverse lists, in memory and in the store",
    arguments: Situation.all, ListEdit.allCases)
  func listEdits(_ situation: Situation, _ edit: ListEdit) throws {
    let scene = try scene(situation)
    let student: Student = try scene.find("Ada")
    edit.apply(to: &student.courses, others: try scene.find(["e", "f"])) { $0.name > $1.name }
    let wanted = edit.result(letters("abcd"), others: ["e", "f"]).joined()
    try scene.nowAndLater { try expect(scene, ["Ada": wanted, "Bob": "da"]) }
  }

  @Test("a change of the inverse lists, Course.students, changes Student.courses", arguments: Situation.all)
  func secondSide(_ situation: Situation) throws {
    let scene = try scene(situation)
    try scene.find("e", Course.self).students = try scene.find(["Cid", "Ada"])
    try scene.find("a", Course.self).students.removeAll { $0.name == "Ada" }
    try scene.find("b", Course.self).students.append(try scene.find("Bob"))
    try scene.find("d", Course.self).students = []
    try scene.nowAndLater { try expect(scene, ["Ada": "bce", "Bob": "ab", "Cid": "e"]) }
  }

  @Test("each list of both sides has its own order", arguments: Situation.all)
  func orders(_ situation: Situation) throws {
    let scene = try scene(situation)
    let students: [Student] = try scene.find(["Cid", "Ada", "Bob"])
    let courses: [Course] = try scene.find(["f", "a", "e"])
    for course in courses { course.students = students }
    courses[1].students = students.reversed()
    students[0].courses = [courses[2], courses[0], courses[1]]
    try #require(students[1].courses.count > 1)
    students[1].courses.swapAt(0, 1)
    try scene.nowAndLater { () throws in
      #expect(try scene.find("f", Course.self).students.names == ["Cid", "Ada", "Bob"])
      #expect(try scene.find("a", Course.self).students.names == ["Bob", "Ada", "Cid"])
      #expect(try scene.find("e", Course.self).students.names == ["Cid", "Ada", "Bob"])
      #expect(try scene.find("Cid", Student.self).courses.names == letters("efa"))
      #expect(try scene.find("Ada", Student.self).courses.names == letters("bacdfe"))
      #expect(try scene.find("Bob", Student.self).courses.names == letters("dafe"))
    }
  }

  @Test("reordering a list keeps the order of the inverse lists", arguments: Situation.all)
  func reorderOneSide(_ situation: Situation) throws {
    let scene = try scene(situation)
    let before = try scene.find(letters("ad"), Course.self).map(\.students.names)
    try scene.find("Ada", Student.self).courses.reverse()
    try scene.nowAndLater { () throws in
      #expect(try scene.find(letters("ad"), Course.self).map(\.students.names) == before)
      #expect(try scene.find("Ada", Student.self).courses.names == letters("dcba"))
    }
  }

  @Test(
    "removing an object from a list and adding it again through the inverse list relates it once, at the end",
    arguments: Situation.all)
  func backAndForth(_ situation: Situation) throws {
    let scene = try scene(situation)
    let ada: Student = try scene.find("Ada")
    let course: Course = try scene.find("b")
    ada.courses.removeAll { $0 == course }
    course.students.append(ada)
    try scene.nowAndLater { try expect(scene, ["Ada": "acdb", "Bob": "da"]) }
  }

  @Test("deleting an object immediately removes it from all lists", arguments: Engine.allCases)
  func delete(_ engine: Engine) throws {
    let scene = try scene(Situation(engine: engine, stage: .saved))
    let students: [Student] = try scene.find(["Ada", "Bob"])
    scene.context.delete(try scene.find("d", Course.self))
    #expect(students.map(\.courses.names) == [letters("abc"), ["a"]])
    try scene.context.save()
    #expect(students.map(\.courses.names) == [letters("abc"), ["a"]])
    let other = scene.store.context()
    #expect(try other.one("Ada", Student.self).courses.names == letters("abc"))
    #expect(try other.one("a", Course.self).students.names == ["Ada", "Bob"])
  }

  @Test("if two contexts change lists of different objects, the saves keep both changes", arguments: Engine.allCases)
  func twoContexts(_ engine: Engine) throws {
    let scene = try scene(Situation(engine: engine, stage: .fetched))
    let other = scene.store.context()
    try scene.find("Ada", Student.self).courses.append(try scene.find("e"))
    try other.one("Bob", Student.self).courses.append(try other.one("f"))
    try other.save()
    try scene.context.save()
    try scene.saveAndForget()
    try expect(scene, ["Ada": "abcde", "Bob": "daf"])
  }
}
