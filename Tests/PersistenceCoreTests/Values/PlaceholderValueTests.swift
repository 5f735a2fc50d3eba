import Foundation
import PersistenceCore
import Testing

@testable import PersistenceContext
@testable import PersistenceRuntime
@testable import PersistenceSchemas

/// A class whose objects can be changed.
private final class Sketch: Codable, @unchecked Sendable {
  // Unchecked, because tests only compare the addresses of the objects.
  var lines: [String]
  init(_ lines: [String] = []) { self.lines = lines }
}

private struct Folder: Codable {
  var name: String
  var sketch: Sketch?
}

private struct Label: Codable {
  var text: String
  var marks: [Date?]
  var colour: Colour
  enum Colour: Codable { case red, green }
}

@Model
private final class Studio {
  var sketch: Sketch = Sketch(["default"])
  var name = "studio"
  init() {}
}

@Suite("Placeholder values of properties that are not loaded yet")
struct PlaceholderValueTests {
  @Test("each placeholder gets a new object if the property's default is a mutable object")
  func ownDefault() throws {
    let property = try #require(try EntityLayout.layouts(of: Schema([Studio.self]))[0].property(named: "sketch"))
    let (first, second): (Sketch, Sketch) = (Placeholder.value(of: property), Placeholder.value(of: property))
    #expect(first !== second)
    #expect(first.lines == ["default"])
    first.lines.append("changed")
    #expect(second.lines == ["default"])
  }

  @Test("concurrent threads get separate objects as placeholders")
  func manyThreads() async throws {
    let property = try #require(try EntityLayout.layouts(of: Schema([Studio.self]))[0].property(named: "sketch"))
    let sketches = await withTaskGroup(of: Sketch.self, returning: [Sketch].self) { group in
      for _ in 0..<100 { group.addTask { Placeholder.value(of: property) } }
      return await group.reduce(into: []) { $0.append($1) }
    }
    #expect(Set(sketches.map { ObjectIdentifier($0) }).count == 100)
  }

  @Test("placeholders are shared only if their values contain no references to objects")
  func shareable() {
    let shared: [any Any.Type] = [
      Int.self, String?.self, [Date].self, [[UUID?]].self, Label.Colour.self, Label.self,
    ]
    for type in shared { #expect(Placeholder.isShareable(type), "\(type)") }
    let unshared: [any Any.Type] = [Sketch.self, Folder.self, [Sketch].self, Folder?.self, NSString.self, Any.self]
    for type in unshared { #expect(!Placeholder.isShareable(type), "\(type)") }
  }

  @Test("a placeholder that was cached for its type can be read repeatedly")
  func kept() {
    let sketch = Sketch(["kept"])
    KeptPlaceholders.keep(sketch, for: Sketch.self)
    for _ in 0..<3 { #expect(KeptPlaceholders.value(of: Sketch.self) === sketch) }
    #expect(KeptPlaceholders.has(Sketch.self))
  }
}
