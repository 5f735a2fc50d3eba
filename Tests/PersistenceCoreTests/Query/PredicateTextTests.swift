import Foundation
import PersistenceCore
import Testing

@Suite("Texts in predicates")
struct PredicateTextTests {
  @Test("contains searches for a text in a property")
  func contains() throws {
    let tree = try translate(#Predicate { $0.name.contains("x") })
    #expect(tree.nodes == [.property("name"), .value(.text), .containsText])
    #expect(tree.values == [.text("x", .text)])
  }

  @Test("contains also searches for a property in a captured text")
  func containedProperty() throws {
    let text = "x"
    #expect(
      try translate(#Predicate { text.contains($0.name) }).nodes == [
        .value(.text), .property("name"), .containsText,
      ])
  }

  @Test("starts(with:) has its own node")
  func starts() throws {
    let tree = try translate(#Predicate { $0.name.starts(with: "x") })
    #expect(tree.nodes == [.property("name"), .value(.text), .startsWithText])
  }

  @Test("isEmpty is translated to equality with the empty text")
  func isEmpty() throws {
    let tree = try translate(#Predicate { $0.name.isEmpty })
    #expect(tree.nodes == [.property("name"), .value(.text), .equal])
    #expect(tree.values == [.text("", .text)])
  }

  @Test("isEmpty returns nil for nil")
  func optionalIsEmpty() throws {
    let tree = try translate(#Predicate { $0.note?.isEmpty == true })
    #expect(tree.nodes.contains(.conditional))
  }

  @Test("subsequences of a collection that is not a text are untranslatable")
  func otherCollections() {
    #expect(obstacle(to: #Predicate { $0.tags.contains(["a"]) })?.contains("Array<String>") == true)
    #expect(obstacle(to: #Predicate { $0.tags.starts(with: ["a"]) }) != nil)
  }
}
