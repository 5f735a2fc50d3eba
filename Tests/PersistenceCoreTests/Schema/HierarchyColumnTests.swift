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

@Suite("The columns of a fetch of a hierarchy")
struct HierarchyColumnTests {
  /// The number of columns before the column with the name of a row's entity.
  private func count(reading names: Set<String>) throws -> Int32 {
    let layouts = try EntityLayout.layouts(of: Schema([Badge.self, StaffBadge.self]))
    let layout = try #require(layouts.first { $0.name == "Badge" })
    let mask: UInt64 = layout.properties.reduce(0) { names.contains($1.name) ? $0 | $1.bit : $0 }
    return EntityColumns.all(of: FetchRequest(entity: layout, mask: mask)).nameColumn
  }

  @Test("the fetch reads the requested columns, and the constants of subclasses")
  func selections() throws {
    // The key is the first column, and the constant `grade` the last.
    #expect(try count(reading: []) == 2)
    #expect(try count(reading: ["number"]) == 3)
    #expect(try count(reading: ["holder"]) == 3)
  }

  @Test("the fetch reads all columns of all classes if all properties are requested")
  func all() throws { #expect(try count(reading: ["number", "holder"]) == 5) }
}
