import SwiftData
import Testing

@Suite("Relationships of an entity to itself", .serialized)
struct SelfReferenceTests {
  // MARK: A tree

  /// A tree of folders: the root r has the children a, b, c and d, and a has the children e and f.
  private func tree(_ situation: Situation) throws -> Scene {
    let root = Folder("r")
    let folders = named("abcdef") { Folder($0) }
    root.children = Array(folders[0..<4])
    folders[4].parent = folders[0]
    folders[5].parent = folders[0]
    return try Scene(situation, [root] + folders)
  }

  private func expect(_ scene: Scene, _ wanted: [String: String], location: SourceLocation = #_sourceLocation) throws {
    for folder in try scene.find(["r"] + letters("abcdef"), Folder.self) {
      let children = letters(wanted[folder.name] ?? "")
      #expect(folder.children.names == children, "the children of \(folder.name)", sourceLocation: location)
      let parent = wanted.first { $0.value.contains(folder.name) }?.key
      #expect(folder.parent?.name == parent, "the parent of \(folder.name)", sourceLocation: location)
    }
  }

  @Test(
    "every in-place change of the children changes the parents of the members, in memory and in the store",
    arguments: Situation.all, ListEdit.allCases)
  func listEdits(_ situation: Situation, _ edit: ListEdit) throws {
    let scene = try tree(situation)
    let root: Folder = try scene.find("r")
    edit.apply(to: &root.children, others: try scene.find(["e", "f"])) { $0.name > $1.name }
    let children = edit.result(letters("abcd"), others: ["e", "f"]).joined()
    let left = "ef".filter { !children.contains($0) }
    try scene.nowAndLater { try expect(scene, ["r": children, "a": left]) }
  }

  @Test("an object with children can be moved to another parent", arguments: Situation.all)
  func move(_ situation: Situation) throws {
    let scene = try tree(situation)
    try scene.find("a", Folder.self).parent = try scene.find("d")
    try scene.find("f", Folder.self).parent = try scene.find("r")
    try scene.nowAndLater { try expect(scene, ["r": "bcdf", "d": "a", "a": "e"]) }
  }

  @Test("an object may refer to itself, and objects may form a cycle", arguments: Situation.all)
  func circle(_ situation: Situation) throws {
    let scene = try tree(situation)
    try scene.find("r", Folder.self).parent = try scene.find("f")
    try scene.find("b", Folder.self).parent = try scene.find("b")
    try scene.nowAndLater { try expect(scene, ["r": "acd", "a": "ef", "f": "r", "b": "b"]) }
  }

  @Test(
    "inserting the last of 5,000 objects, each the child of the previous one, inserts all of them",
    arguments: Engine.allCases)
  func deep(_ engine: Engine) throws {
    let store = try TestStore(engine, graphModels)
    let context = store.context()
    var folder = Folder("0")
    for depth in 1..<5000 { folder = Folder("\(depth)", parent: folder) }
    context.insert(folder)
    try context.save()
    let other = store.context()
    #expect(try other.fetchCount(FetchDescriptor<Folder>()) == 5000)
    var found: Folder? = try other.one("4999")
    var depth = 0
    while let folder = found {
      found = folder.parent
      depth += 1
    }
    #expect(depth == 5000)
  }

  // MARK: Relationships that are their own inverses

  private func friends(_ situation: Situation) throws -> Scene {
    let people = named("abcdef") { Person($0) }
    people[0].friends = Array(people[1...3])
    people[4].partner = people[5]
    return try Scene(situation, people)
  }

  private func friends(of name: String, _ scene: Scene) throws -> String {
    try scene.find(name, Person.self).friends.names.joined()
  }

  @Test(
    "a change of a to-many relationship that is its own inverse changes the lists of both objects",
    arguments: Situation.all)
  func mutual(_ situation: Situation) throws {
    let scene = try friends(situation)
    try scene.find("b", Person.self).friends.append(try scene.find("c"))
    try scene.find("d", Person.self).friends.removeAll()
    try scene.nowAndLater { () throws in
      #expect(try friends(of: "a", scene) == "bc")
      #expect(try friends(of: "b", scene) == "ac")
      #expect(try friends(of: "c", scene) == "ab")
      #expect(try friends(of: "d", scene) == "")
    }
  }

  @Test(
    "if a to-many relationship is its own inverse, the list of each object has its own order", arguments: Situation.all)
  func order(_ situation: Situation) throws {
    let scene = try friends(situation)
    let people: [Person] = try scene.find(letters("abcdef"))
    people[5].friends = [people[2], people[0], people[1]]
    people[0].friends.reverse()
    try #require(people[1].friends.count == 2)
    people[1].friends.swapAt(0, 1)
    try scene.nowAndLater { () throws in
      #expect(try friends(of: "f", scene) == "cab")
      #expect(try friends(of: "a", scene) == "fdcb")
      #expect(try friends(of: "b", scene) == "fa")
      #expect(try friends(of: "c", scene) == "af")
    }
  }

  @Test("an object may be in its own list of a relationship that is its own inverse, once", arguments: Situation.all)
  func ownFriend(_ situation: Situation) throws {
    let scene = try friends(situation)
    let person: Person = try scene.find("e")
    person.friends = [person]
    try scene.nowAndLater { () throws in #expect(try friends(of: "e", scene) == "e") }
    try scene.find("e", Person.self).friends.removeAll()
    try scene.nowAndLater { () throws in #expect(try friends(of: "e", scene) == "") }
  }

  @Test(
    "setting a to-one relationship that is its own inverse sets it for both partners, and to nil for former partners",
    arguments: Situation.all)
  func partners(_ situation: Situation) throws {
    let scene = try friends(situation)
    #expect(try scene.find("f", Person.self).partner?.name == "e")
    try scene.find("a", Person.self).partner = try scene.find("b")
    try scene.find("f", Person.self).partner = try scene.find("a")
    try scene.nowAndLater { () throws in
      #expect(try scene.find("a", Person.self).partner?.name == "f")
      #expect(try scene.find("f", Person.self).partner?.name == "a")
      #expect(try scene.find("b", Person.self).partner == nil)
      #expect(try scene.find("e", Person.self).partner == nil)
    }
  }

  @Test("an object may be its own partner", arguments: Situation.all)
  func ownPartner(_ situation: Situation) throws {
    let scene = try friends(situation)
    let person: Person = try scene.find("e")
    person.partner = person
    try scene.nowAndLater { () throws in
      #expect(try scene.find("e", Person.self).partner?.name == "e")
      #expect(try scene.find("f", Person.self).partner == nil)
    }
  }
}
