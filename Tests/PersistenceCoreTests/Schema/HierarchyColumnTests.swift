import PersistenceCore
import Testing

@Model
class Badge {
  let number: Int
  var holder: String

  init(_ number: Int, holder: String) {
    self.number = number
    self.holder = holder
  }
}

@Model
final class StaffBadge: Badge {
  let grade: Int
  var room: String

  init(_ number: Int, holder: String, grade: Int, room: String) {
    self.grade = grade
    self.room = room
    super.init(number, holder: holder)
  }
}

@Suite("The columns that a fetch of a class with subclasses reads")
struct HierarchyColumnTests {
  /// The number of columns that a row has before the column with the name of its entity.
  private func count(reading names: Set<String>) throws -> Int32 {
    let layouts = try EntityLayout.layouts(of: Schema([Badge.self, StaffBadge.self]))
    let layout = try #require(layouts.first { $0.name == "Badge" })
    let mask: UInt64 = layout.properties.reduce(0) { names.contains($1.name) ? $0 | $1.bit : $0 }
    return EntityColumns.all(of: FetchRequest(entity: layout, mask: mask)).nameColumn
  }

  @Test("a fetch reads only the requested columns, and the constants of subclasses")
  func selections() throws {
    // The key is always the first column, and the constant `grade` of the subclass is always the last one.
    #expect(try count(reading: []) == 2)
    #expect(try count(reading: ["number"]) == 3)
    #expect(try count(reading: ["holder"]) == 3)
  }

  @Test("a fetch of all properties reads the columns of all classes")
  func all() throws { #expect(try count(reading: ["number", "holder"]) == 5) }
}
