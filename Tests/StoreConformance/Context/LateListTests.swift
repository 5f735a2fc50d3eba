import SwiftData
import Testing

@Suite("Lists to which user code appends during their save", .serialized)
struct LateListTests {
  @Test("a removal from a list is written once", arguments: Engine.allCases)
  func removal(_ engine: Engine) throws {
    let store = try TestStore(engine, graphModels + [Trap.self])
    let context = store.context()
    let (course, trap) = (Course("owner"), Trap(1))
    course.students = [Student("a"), Student("b")]
    context.insert(course)
    context.insert(trap)
    try context.save()
    nonisolated(unsafe) let unsafeCourse = course
    Tripwire.watch {
      let isKnown = unsafeCourse.students.contains { $0.name == "late" }
      if !isKnown { unsafeCourse.students.append(Student("late")) }
    } during: {
      course.students.removeAll { $0.name == "a" }
      trap.wire = Tripwire(2)
      #expect(throws: Never.self) { try context.save() }
    }
    #expect(course.hasChanges)
    // Another context adds the removed student to the course again.
    let there = store.context()
    let returning = try there.one("a", Student.self)
    try there.one("owner", Course.self).students.append(returning)
    try there.save()
    try context.save()
    #expect(!context.hasChanges)
    let stored = try store.context().one("owner", Course.self)
    #expect(stored.students.map(\.name).sorted() == ["a", "b", "late"])
  }
}
