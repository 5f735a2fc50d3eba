import Foundation
import PersistenceCore
import Testing

private struct Pin: Codable, Equatable {
  var x: Int
  var y: Int?
  var sum: Int { x + (y ?? 0) }
}

private struct Area: Codable, Equatable {
  var name: String?
  var pin: Pin
  var loose: Loose?
}

private struct Loose: Codable, Equatable {
  var a: Int?
}

@Model
private final class Zone {
  var area: Area
  var other: Area?

  init(area: Area) { self.area = area }
}

@Suite("Members of composites in predicates")
struct PredicateCompositeTests {
  private let layout: EntityLayout

  init() throws { layout = try #require(try EntityLayout.layouts(of: Schema([Zone.self])).first) }

  private func nodes(_ predicate: Predicate<Zone>) throws -> [QueryNode] {
    try PredicateTranslator.translate(predicate, entity: layout).nodes
  }

  @Test("columns have the order of the fields, with a presence column if no field is required")
  func columns() {
    #expect(
      layout.properties[1].columns.map(\.name) == [
        "other_name", "other_pin_x", "other_pin_y", "other_loose", "other_loose_a",
      ])
    #expect(layout.properties[0].columns.map(\.isOptional) == [true, false, true, true, true])
    #expect(layout.properties[1].columns.allSatisfy { $0.isOptional })
  }

  @Test("a member is a column of its property")
  func member() throws {
    #expect(
      try nodes(#Predicate { $0.area.pin.x > 3 }) == [.member(property: 0, column: 1), .value(.integer), .greater])
  }

  @Test("a member of an optional composite needs no additional condition")
  func optionalMember() throws {
    #expect(
      try nodes(#Predicate { $0.other?.pin.x == 3 })
        == [.member(property: 1, column: 1), .value(.integer), .equal])
  }

  @Test("a composite is nil if its presence column is NULL")
  func presence() throws {
    #expect(try nodes(#Predicate { $0.other == nil }) == [.member(property: 1, column: 1), .null, .equal])
    #expect(try nodes(#Predicate { $0.area.loose != nil }) == [.member(property: 0, column: 3), .null, .notEqual])
  }

  @Test("a whole value is equal if all its columns are equal")
  func equality() throws {
    let pin = Pin(x: 1, y: nil)
    #expect(
      try nodes(#Predicate { $0.area.pin == pin }) == [
        .member(property: 0, column: 1), .value(.integer), .equal, .member(property: 0, column: 2), .null, .equal, .and,
      ])
  }

  @Test("a computed member is untranslatable")
  func computed() {
    #expect(throws: UntranslatableExpression.self) { try nodes(#Predicate { $0.area.pin.sum == 3 }) }
  }

  @Test("a whole value is untranslatable outside of an equality")
  func whole() {
    let areas = Array(repeating: Area(name: nil, pin: Pin(x: 1, y: nil), loose: nil), count: 101)
    #expect(throws: UntranslatableExpression.self) { try nodes(#Predicate { areas.contains($0.area) }) }
  }

  @Test("a sort by a member is a sort by its column")
  func order() throws {
    let terms = try SortTranslator.translate([SortDescriptor(\Zone.area.pin.x, order: .reverse)], entity: layout)
    #expect(terms == [SortTerm(property: 0, column: 1, isDescending: true)])
  }

  @Test("the cached meaning of a member round-trips through its encoding")
  func codes() {
    let meanings: [KeyPathMeaning] = [.composite(9), .column(70, 300), .member(4096)]
    for (path, meaning) in zip([\Zone.area, \Zone.area.pin, \Zone.area.name] as [AnyKeyPath], meanings) {
      let memory = KeyPathMemory()
      memory.remember(meaning, of: path)
      #expect(memory.meaning(of: path) == meaning)
    }
  }
}
