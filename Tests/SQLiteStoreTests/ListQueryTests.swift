import Foundation
import PersistenceCore
import Testing

@testable import SQLiteStore

private typealias Item = SampleEntities.Item

@Suite("Queries with lists of any size and kind")
struct ListQueryTests {
  private func contains(_ list: [QueryValue], _ property: Int) -> (inout QueryTree) -> Void {
    {
      $0.append(list: list)
      $0.append(.property(property))
      $0.append(.containsValue)
    }
  }

  @Test(
    "a list of ten thousand integers is one parameter and uses the index; lists of all lengths share one statement")
  func manyIntegers() throws {
    let store = try SampleStore.inMemory()
    try store.insert((0..<1_000).map { ["count": .integer(.max - $0 * 2)] })
    let list = (0..<10_000).map { QueryValue.integer(.max - $0) }
    let few = contains([.integer(.max), .integer(.min)], Item.count)
    #expect(try store.keys(contains(list, Item.count)).count == 1_000)
    #expect(try store.keys(few) == [1])
    #expect(try store.keys(contains([], Item.count)) == [])
    // An empty list has no element type. So its request has another shape and needs its own statement.
    #expect(try store.missCount() == 2)
    #expect(try store.condition(few) == #""count" IN (SELECT value FROM _osd_list(?1))"#)
    #expect(try store.plan(few).contains("SEARCH Item USING COVERING INDEX _osd_index_Item_count (count=?)"))
  }

  @Test("elements of every type are found exactly")
  func kinds() throws {
    let store = try SampleStore.inMemory()
    try store.insert([
      ["name": .text("a\0b"), "score": 0.1, "data": .blob([0, 255]), "price": "1", "count": .integer(.min)],
      [
        "name": "🦆", "score": .real(.leastNonzeroMagnitude), "data": .blob([]), "price": "2",
        "count": .blob([255, 0, 0, 0, 0, 0, 0, 0]),
      ],
      ["name": "\u{E9}", "score": "NaN", "data": nil, "price": "x", "count": 5],
      ["name": "", "score": .real(-0.0), "data": .blob([7]), "price": nil, "count": 6],
    ])
    #expect(try store.keys(contains([.text("a\0b", .text), .text("", .text)], Item.name)) == [1, 4])
    #expect(try store.keys(contains([.text("a", .text), .text("\u{E9}", .text)], Item.name)) == [3])
    // Normally the caller converts texts to their stored form. This test does not, so the decomposed text is not found.
    #expect(try store.keys(contains([.text("e\u{301}", .text)], Item.name)) == [])
    #expect(try store.keys(contains([.text("🦆", .text)], Item.name)) == [2])
    #expect(try store.keys(contains([.real(0.1), .real(.leastNonzeroMagnitude), .real(0)], Item.score)) == [1, 2, 4])
    #expect(try store.keys(contains([.real(.nan), .text("NaN", .real)], Item.score)) == [])
    #expect(try store.keys(contains([.blob(Data(), .blob), .blob(Data([0, 255]), .blob)], Item.data)) == [1, 2])
    #expect(try store.keys(contains([.text("1", .decimal), .text("2", .decimal)], Item.price)) == [1, 2])
    let large = QueryValue.blob(Data([255, 0, 0, 0, 0, 0, 0, 0]), .integer)
    #expect(try store.keys(contains([.integer(.min), large], Item.count)) == [1, 2])
  }

  @Test("nil is found like any other element")
  func nilElements() throws {
    let store = try SampleStore.inMemory()
    try store.insert([["note": "a"], ["note": nil], ["note": "b"]])
    let (with, without): ([QueryValue], [QueryValue]) = ([.null, .text("a", .text)], [.text("a", .text)])
    #expect(try store.keys(contains(with, Item.note)) == [1, 2])
    #expect(try store.keys(contains(without, Item.note)) == [1])
    #expect(try store.keys(contains([.null], Item.note)) == [2])
    for (list, keys) in [(with, [3]), (without, [2, 3])] as [([QueryValue], [Int64])] {
      let found = try store.keys {
        contains(list, Item.note)(&$0)
        $0.append(.not)
      }
      #expect(found == keys)
    }
    #expect(try store.plan(contains(with, Item.note)).contains("MULTI-INDEX OR"))
  }
}
