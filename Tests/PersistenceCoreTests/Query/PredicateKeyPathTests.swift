import Foundation
import PersistenceCore
import Testing

@Suite("Key paths in predicates")
struct PredicateKeyPathTests {
  @Test("a stored id is an ordinary property")
  func storedIdentifier() throws {
    let id = UUID()
    #expect(try translate(#Predicate { $0.id == id }).nodes == [.property("id"), .value(.blob), .equal])
  }

  @Test("persistentModelID is the primary key")
  func identifier() throws {
    let tree = try translate(#Predicate { $0.persistentModelID == $0.persistentModelID })
    #expect(tree.nodes == [.key, .key, .equal])
  }

  @Test("the id of a model that does not declare one is the primary key")
  func undeclaredIdentifier() {
    #expect(Bookmark.layout.meaning(of: \Bookmark.id) == .key)
    #expect(Bookmark.layout.meaning(of: \Bookmark.persistentModelID) == .key)
    #expect(Item.layout.meaning(of: \Item.id) == .property(0))
  }

  @Test("generic code can query the identifier")
  func genericIdentifier() throws {
    func predicate<Model: PersistentModel>(_ type: Model.Type) -> Predicate<Model> {
      #Predicate { $0.persistentModelID == $0.persistentModelID }
    }
    let tree = try PredicateTranslator.translate(predicate(Bookmark.self), entity: Bookmark.layout)
    #expect(tree.nodes == [.key, .key, .equal])
  }

  @Test("the raw value of an enum is the property itself")
  func rawValue() throws {
    let tree = try translate(#Predicate { $0.stage.rawValue == "done" })
    #expect(tree.nodes == [.property("stage"), .value(.text), .equal])
  }

  @Test("the raw value of an enum that does not list its cases is the property itself")
  func unlistedRawValue() throws {
    let tree = try translate(#Predicate { $0.level.rawValue == 1 })
    #expect(tree.nodes == [.property("level"), .value(.integer), .equal])
  }

  @Test("the raw value of an optional enum is the property itself")
  func optionalRawValue() throws {
    let tree = try translate(#Predicate { $0.lastStage?.rawValue == "done" })
    #expect(tree.nodes == [.property("lastStage"), .value(.text), .equal])
  }

  @Test("a member of a captured value is a captured value")
  func capturedMember() throws {
    let filter = Filter(name: "a", names: [])
    let tree = try translate(#Predicate { $0.name == filter.name })
    #expect(tree.nodes == [.property("name"), .value(.text), .equal])
    #expect(tree.values == [.text("a", .text)])
  }

  @Test("a condition on captured values is a constant")
  func capturedCondition() throws {
    let search = ""
    let tree = try translate(#Predicate { search.isEmpty || $0.name.contains(search) })
    #expect(tree.nodes == [.truth(true), .property("name"), .value(.text), .containsText, .or])
  }

  @Test("a computed property is untranslatable")
  func computed() {
    #expect(obstacle(to: #Predicate { $0.title == "A" })?.contains("computed") == true)
  }

  @Test("a transformed value is untranslatable, and the error names the property")
  func noColumn() {
    #expect(obstacle(to: #Predicate { $0.secret == nil })?.contains("Item.secret") == true)
  }

  @Test("a key path that is created at run time refers to the same property")
  func appended() {
    let root: KeyPath<Item, Item> = \.self
    let keyPath = root.appending(path: \.name)
    #expect(Item.layout.meaning(of: keyPath) == .property(1))
    #expect(Item.layout.meaning(of: \Item.name) == .property(1))
  }

  @Test("key paths beyond the capacity of the cache have correct meanings")
  func manyKeyPaths() {
    let paths = (0..<500).map { \[Item].[$0].name as AnyKeyPath }
    #expect(paths.allSatisfy { Item.layout.meaning(of: $0) == .unknown })
    #expect(Item.layout.meaning(of: \Item.count) == .property(3))
  }

  @Test("the cache of key paths is thread-safe")
  func concurrent() async {
    let memory = KeyPathMemory()
    nonisolated(unsafe) let paths = Item.layout.properties.map(\.keyPath)
    await withTaskGroup(of: Void.self) { group in
      for _ in 0..<8 {
        group.addTask {
          for (position, path) in paths.enumerated() {
            memory.remember(.property(position), of: path)
            let meaning = memory.meaning(of: path)
            #expect(meaning == nil || meaning == .property(position))
          }
        }
      }
    }
  }

  @Test("the cached meaning of a key path round-trips through its encoding")
  func codes() {
    let paths: [AnyKeyPath] = [\Item.name, \Item.note, \Item.count, \Item.rank, \Item.tiny, \Item.short, \Item.date]
    let meanings: [KeyPathMeaning] = [
      .property(70), .key, .relationship(3), .transformable(0), .rawValue, .emptyText, .unknown,
    ]
    for (path, meaning) in zip(paths, meanings) {
      let memory = KeyPathMemory()
      memory.remember(meaning, of: path)
      #expect(memory.meaning(of: path) == meaning)
    }
  }
}
