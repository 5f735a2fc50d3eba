import Foundation
import PersistenceCore
import Testing

@Suite("Order in predicates")
struct PredicateComparisonTests {
  @Test("each operator has its own node")
  func operators() throws {
    let limit = 5
    let nodes = [
      try translate(#Predicate { $0.count < limit }), try translate(#Predicate { $0.count <= limit }),
      try translate(#Predicate { $0.count > limit }), try translate(#Predicate { $0.count >= limit }),
    ].map { $0.nodes.last }
    #expect(nodes == [.less, .lessOrEqual, .greater, .greaterOrEqual])
  }

  @Test("texts, dates, decimals and identifiers are ordered by the store")
  func types() throws {
    let date = Date(timeIntervalSinceReferenceDate: 7)
    let price: Decimal = 3
    #expect(try translate(#Predicate { $0.name < "m" }).values == [.text("m", .text)])
    #expect(try translate(#Predicate { $0.date < date }).values == [.real(7)])
    #expect(try translate(#Predicate { $0.price < price }).values == [.text("3", .decimal)])
  }

  @Test(
    "a Comparable enum compared with a value lists the matching cases; compared with a property it is untranslatable")
  func ownOrder() throws {
    let level = Level.high
    let tree = try translate(#Predicate { $0.level < level })
    #expect(tree.nodes == [.list(.integer), .property("level"), .containsValue])
    #expect(tree.values == [.list([.integer(1)])])
    #expect(obstacle(to: #Predicate { $0.level < $0.level })?.contains("Level") == true)
  }

  @Test("not-a-number is compared like any other value")
  func notANumber() throws {
    let score = Double.nan
    #expect(try translate(#Predicate { $0.score < score }).nodes == [.property("score"), .value(.real), .less])
    #expect(try translate(#Predicate { $0.score == score }).nodes == [.property("score"), .value(.real), .equal])
  }

  @Test("a closed range is translated to a pair of bounds after the value")
  func closedRange() throws {
    let captured = 2...4
    let low = 2
    let tree = try translate(#Predicate { captured.contains($0.count) })
    #expect(tree.nodes == [.property("count"), .value(.integer), .value(.integer), .betweenClosed])
    #expect(tree.values == [.integer(2), .integer(4)])
    #expect(try translate(#Predicate { (low...4).contains($0.count) }).nodes == tree.nodes)
  }

  @Test("a half-open range excludes its upper bound")
  func range() throws {
    let captured = 2..<4
    let low = 2
    let tree = try translate(#Predicate { captured.contains($0.count) })
    #expect(tree.nodes == [.property("count"), .value(.integer), .value(.integer), .betweenHalfOpen])
    #expect(try translate(#Predicate { (low..<4).contains($0.count) }).nodes == tree.nodes)
  }

  @Test("the bounds of a range may be properties")
  func propertyBounds() throws {
    let tree = try translate(#Predicate { ($0.tiny...$0.tiny).contains(3) })
    #expect(tree.nodes == [.value(.integer), .property("tiny"), .property("tiny"), .betweenClosed])
  }

  @Test("a range with one bound is translated to a comparison")
  func partialRanges() throws {
    let from = 2...
    let through = ...2
    let upTo = ..<2
    #expect(try translate(#Predicate { from.contains($0.count) }).nodes.last == .greaterOrEqual)
    #expect(try translate(#Predicate { through.contains($0.count) }).nodes.last == .lessOrEqual)
    #expect(try translate(#Predicate { upTo.contains($0.count) }).nodes.last == .less)
  }
}
