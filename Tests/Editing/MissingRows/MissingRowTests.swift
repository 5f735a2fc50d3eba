import ConformanceSupport
import SwiftData
import Testing

/// A class with a synthesized `init(from:)`, which accepts the empty values that a placeholder is decoded from.
private final class Plain: Codable {
  var text = "x"
  var numbers: [Int]
  init(_ numbers: [Int]) { self.numbers = numbers }
}

/// A class whose `init(from:)` rejects empty values.
private final class Strict: Codable {
  let text: String
  let numbers: [Int]

  init(_ text: String) {
    self.text = text
    numbers = [1]
  }

  init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    text = try container.decode(String.self, forKey: .text)
    numbers = try container.decode([Int].self, forKey: .numbers)
    guard !text.isEmpty, numbers.allSatisfy({ $0 > 0 }), !numbers.isEmpty else {
      throw DecodingError.dataCorrupted(.init(codingPath: [], debugDescription: "empty"))
    }
  }
}

/// A class that is not `Codable`, so that only a value transformer can store it.
private final class Shape {
  let corners: Int
  init(_ corners: Int) { self.corners = corners }
}

private final class ShapeTransformer: ValueTransformer, @unchecked Sendable {
  override func transformedValue(_ value: Any?) -> Any? { (value as? Shape).map { Data([UInt8($0.corners)]) } }
  override func reverseTransformedValue(_ value: Any?) -> Any? { Shape(Int((value as? Data)?.first ?? 0)) }
}

@Model
private final class Holder {
  fileprivate var plain: Plain
  fileprivate var strict: Strict
  @Attribute(.transformable(by: ShapeTransformer.self)) fileprivate var shape: Shape
  var other: Other
  var note = "n"

  fileprivate init(_ other: Other) {
    plain = Plain([1])
    strict = Strict("a")
    shape = Shape(3)
    self.other = other
  }
}

@Model
private final class Other {
  var name: String
  init(_ name: String) { self.name = name }
}

@Suite("The placeholder object for a row that was deleted")
struct MissingRowTests {
  @Test("the placeholder has values for properties of class types that have no default", arguments: Engine.allCases)
  func classes(_ engine: Engine) throws {
    let store = try TestStore(engine, [Holder.self, Other.self])
    let context = store.context()
    let holder = Holder(Other("o"))
    context.insert(holder)
    try context.save()
    let identifier = holder.persistentModelID
    context.delete(holder)
    try context.save()
    let standIn = try #require(store.context().model(for: identifier) as? Holder)
    #expect(standIn.isDeleted)
    #expect(standIn.plain.numbers.isEmpty)
    #expect(!standIn.strict.text.isEmpty)
    #expect(standIn.shape.corners == 0)
    #expect(standIn.other.name == "")
    #expect(standIn.note == "n")
  }
}
