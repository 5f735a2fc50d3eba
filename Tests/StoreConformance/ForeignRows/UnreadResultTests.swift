import OpenSwiftData
import Testing

@Suite("A stored value that its property cannot hold, in results without objects")
struct UnreadResultTests {
  private func expectError(
    _ words: String, at location: SourceLocation = #_sourceLocation, _ body: () throws -> Any
  ) {
    let error = #expect(throws: SwiftDataError.corruptValue, sourceLocation: location) { _ = try body() }
    let text = error?.explanation ?? ""
    #expect(text.contains(words), "\(text)", sourceLocation: location)
  }

  @Test("an aggregate throws an error that names row, column and value")
  func aggregates() throws {
    let store = try TestStore.ofSamples()
    try store.write(
      "UPDATE Sample SET count = 'many', mood = 'angry', spot_zip = 'x', level = 'high' WHERE name = 'b'")
    let context = store.context()
    expectError("Sample.count of row 2: the column count has the text 'many', which is no Int") {
      try context.max(of: \Sample.count) as Any
    }
    expectError("Sample.mood of row 2: the column mood has the text 'angry', which is no Tint") {
      try context.distinct(\Sample.mood)
    }
    expectError("Sample.spot of row 2: the column spot_zip has the text 'x', which is no Int") {
      try context.distinct(\Sample.spot.zip)
    }
    expectError("Sample.level of row 2: the column level has the text 'high', which is no Int") {
      try context.grouped(by: \Sample.level, .count)
    }
    #expect(try context.max(of: \Sample.count, where: #Predicate { $0.name == "a" }) == 41)
    #expect(try context.fetchCount(FetchDescriptor<Sample>()) == 2)
    #expect(try context.distinct(\Sample.name) == ["a", "b"])
  }
}
