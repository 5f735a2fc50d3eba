import SwiftData
import Testing

@Model
final class Crate {
  @Relationship(.unordered, inverse: \Pear.crate) var pears: [Pear] = []

  init() {}
}

@Model
final class Pear {
  var number: Int
  var crate: Crate?

  init(number: Int) {
    self.number = number
  }
}

@Suite("Relationships without an order")
struct UnorderedTests {
  @Test("a save keeps the members, and does not store moves", arguments: Engine.allCases)
  func members(_ engine: Engine) throws {
    let store = try TestStore(engine, [Crate.self, Pear.self])
    let context = store.context()
    let crate = Crate()
    crate.pears = (1...4).map { Pear(number: $0) }
    context.insert(crate)
    try context.save()
    crate.pears.reverse()
    crate.pears.remove(at: 1)
    #expect(crate.pears.map(\.number) == [4, 2, 1])
    try context.save()
    let reader = store.context()
    let found = try #require(try reader.fetch(FetchDescriptor<Crate>()).first)
    #expect(found.pears.map(\.number) == [1, 2, 4])
    #expect(found.pears.allSatisfy { $0.crate === found })
  }
}
