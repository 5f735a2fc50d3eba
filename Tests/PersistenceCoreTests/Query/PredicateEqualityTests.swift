import Foundation
import PersistenceCore
import Testing

@Suite("Equality in predicates")
struct PredicateEqualityTests {
  @Test("the property and the value of == have the order of the source")
  func equal() throws {
    let name = "Ada"
    let tree = try translate(#Predicate { $0.name == name })
    #expect(tree.nodes == [.property("name"), .value(.text), .equal])
    #expect(tree.values == [.text("Ada", .text)])
    #expect(try translate(#Predicate { name == $0.name }).nodes == [.value(.text), .property("name"), .equal])
  }

  @Test("!= is a separate operator, which nil satisfies")
  func notEqual() throws {
    let tree = try translate(#Predicate { $0.note != "x" })
    #expect(tree.nodes == [.property("note"), .value(.text), .notEqual])
  }

  @Test("two properties are compared without a value")
  func properties() throws {
    let tree = try translate(#Predicate { $0.tiny == $0.tiny })
    #expect(tree.nodes == [.property("tiny"), .property("tiny"), .equal])
    #expect(tree.values.isEmpty)
  }

  @Test("== nil and != nil compare with null, written or captured")
  func nilTests() throws {
    #expect(try translate(#Predicate { $0.note == nil }).nodes == [.property("note"), .null, .equal])
    let nothing: String? = nil
    let captured = try translate(#Predicate { $0.note != nothing })
    #expect(captured.nodes == [.property("note"), .null, .notEqual])
    #expect(captured.values == [.null])
  }

  @Test("a captured nil and a captured value have different shapes, two values have the same")
  func shapes() throws {
    func tree(_ note: String?) throws -> QueryTree { try translate(#Predicate { $0.note == note }) }
    #expect(try tree("a").nodes == tree("b").nodes)
    #expect(try tree("a").nodes != tree(nil).nodes)
  }

  @Test("a Bool is compared as its stored number")
  func bool() throws {
    let tree = try translate(#Predicate { $0.isDone == false })
    #expect(tree.nodes == [.property("isDone"), .value(.integer), .equal])
    #expect(tree.values == [.integer(0)])
  }
}
