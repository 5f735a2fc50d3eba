import Foundation
import PersistenceCore
import Testing

@Suite("Captured collections in predicates")
struct PredicateListTests {
  @Test("an array is one list parameter, whatever its length")
  func array() throws {
    func tree(_ names: [String]) throws -> QueryTree { try translate(#Predicate { names.contains($0.name) }) }
    let two = try tree(["a", "b"])
    #expect(two.nodes == [.list(.text), .property("name"), .containsValue])
    #expect(two.values == [.list([.text("a", .text), .text("b", .text)])])
    #expect(try tree(["a"]).nodes == two.nodes)
  }

  @Test("a set is a list parameter")
  func set() throws {
    let counts: Set = [7]
    let tree = try translate(#Predicate { counts.contains($0.count) })
    #expect(tree.nodes == [.list(.integer), .property("count"), .containsValue])
    #expect(tree.values == [.list([.integer(7)])])
  }

  @Test("an empty collection is an empty list")
  func empty() throws {
    let names: [String] = []
    #expect(try translate(#Predicate { names.contains($0.name) }).values == [.list([])])
  }

  @Test("a list may contain nil")
  func optionals() throws {
    let ranks: [Int?] = [nil, 2]
    let tree = try translate(#Predicate { ranks.contains($0.rank) })
    #expect(tree.nodes.first == .list(.integer))
    #expect(tree.values == [.list([.null, .integer(2)])])
  }

  @Test("enums in a list are translated to their raw values")
  func enums() throws {
    let stages: [Stage] = [.open, .done]
    let tree = try translate(#Predicate { stages.contains($0.stage) })
    #expect(tree.values == [.list([.text("open", .text), .text("done", .text)])])
  }

  @Test("not-a-number equals nothing, and is omitted from a list")
  func notANumber() throws {
    let scores = [Double.nan, 1]
    #expect(try translate(#Predicate { scores.contains($0.score) }).values == [.list([.real(1)])])
  }

  @Test("a member of a captured value can be a list")
  func member() throws {
    let filter = Filter(name: "a", names: ["b"])
    #expect(try translate(#Predicate { filter.names.contains($0.name) }).values == [.list([.text("b", .text)])])
  }

  @Test("a captured range whose elements are values is translated to a pair of bounds")
  func range() throws {
    let range = 1...3
    let predicate = Predicate<Item> { item in
      PredicateExpressions.SequenceContains(
        sequence: PredicateExpressions.build_Arg(range),
        element: PredicateExpressions.build_KeyPath(root: item, keyPath: \.count))
    }
    #expect(try translate(predicate).nodes.last == .betweenClosed)
  }

  @Test("contains on a stored collection searches its elements")
  func stored() throws {
    let tree = try translate(#Predicate { $0.tags.contains("a") })
    #expect(
      tree.nodes == [
        .property("tags"), .elements(.text), .related(row: 1, .element(.text, isOptional: false)), .value(.text),
        .equal,
        .exists(row: 1),
      ])
    #expect(tree.rows == [.element])
  }
}
