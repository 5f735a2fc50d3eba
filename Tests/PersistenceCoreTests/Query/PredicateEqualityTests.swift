import Foundation
import PersistenceCore
import Testing

@Suite("Equality in predicates")
struct PredicateEqualityTests {
  @Test("the operands of == have the order of the source")
  func equal() throws {
    let name = "Ada"
    let tree = try translate(#Predicate { $0.name == name })
    #expect(tree.nodes == [.property("name"), .value(.text), .equal])
    #expect(tree.values == [.text("Ada", .text)])
    #expect(try translate(#Predicate { name == $0.name }).nodes == [.value(.text), .property("name"), .equal])
  }

  @Test("!= is a separate operator, so that nil can satisfy it")
  func notEqual() throws {
    let tree = try translate(#Predicate { $0.note != "x" })
    #expect(tree.nodes == [.property("note"), .value(.text), .notEqual])
  }

  @Test("an equality of two properties contains no captured value")
  func properties() throws {
    let tree = try translate(#Predicate { $0.tiny == $0.tiny })
    #expect(tree.nodes == [.property("tiny"), .property("tiny"), .equal])
    #expect(tree.values.isEmpty)
  }

  @Test("== nil and != nil compare with null, whether nil is written or captured")
  func nilTests() throws {
    #expect(try translate(#Predicate { $0.note == nil }).nodes == [.property("note"), .null, .equal])
    let nothing: String? = nil
    let captured = try translate(#Predicate { $0.note != nothing })
    #expect(captured.nodes == [.property("note"), .null, .notEqual])
    #expect(captured.values == [.null])
  }

  @Test("a captured nil and a captured value give different shapes; two captured values give the same shape")
  func shapes() throws {
    func tree(_ note: String?) throws -> QueryTree { try translate(#Predicate { $0.note == note }) }
    #expect(try tree("a").nodes == tree("b").nodes)
    #expect(try tree("a").nodes != tree(nil).nodes)
  }

  @Test("a Bool is compared as the number that is stored for it")
  func bool() throws {
    let tree = try translate(#Predicate { $0.isDone == false })
    #expect(tree.nodes == [.property("isDone"), .value(.integer), .equal])
    #expect(tree.values == [.integer(0)])
  }
}
