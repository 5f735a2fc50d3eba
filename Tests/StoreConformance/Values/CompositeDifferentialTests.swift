import SwiftData
import Testing

/// A struct that contains another struct. The tests nest it up to four levels deep.
private struct Level<Inner: Codable & Equatable & Randomised>: Codable, Equatable, Randomised {
  var number: Int?
  var inner: Inner
  var text: String
  var missing: Inner?
  var list: [Inner]

  static func random(_ generator: inout SeededGenerator) -> Level {
    Level(
      number: .random(&generator), inner: .random(&generator), text: .random(&generator), missing: .random(&generator),
      list: Bool.random(using: &generator) ? [] : [.random(&generator)])
  }
}

private struct Leaf: Codable, Equatable, Randomised {
  var number: Double?
  var shade: Climate?
  var access: Access?

  static func random(_ generator: inout SeededGenerator) -> Leaf {
    Leaf(
      number: Int?.random(&generator).map { Double($0) / 7 },
      shade: Bool.random(using: &generator) ? nil : Climate.allCases.randomElement(using: &generator),
      access: [nil, .free, .fee(3, note: nil), .any(.free, .fee(1, note: "x"))].randomElement(using: &generator) ?? nil)
  }
}

private protocol Randomised {
  static func random(_ generator: inout SeededGenerator) -> Self
}

extension Optional: Randomised where Wrapped: Randomised {
  fileprivate static func random(_ generator: inout SeededGenerator) -> Wrapped? {
    Bool.random(using: &generator) ? nil : .some(.random(&generator))
  }
}

extension Int: Randomised {
  fileprivate static func random(_ generator: inout SeededGenerator) -> Int {
    [.min, -1, 0, 1, .max].randomElement(using: &generator) ?? 0
  }
}

extension String: Randomised {
  fileprivate static func random(_ generator: inout SeededGenerator) -> String {
    ["", "\0", "a b", "null", "e\u{301}", "\"'\\"].randomElement(using: &generator) ?? ""
  }
}

@Model
private final class Nest {
  var position: Int
  var value: Level<Level<Leaf>>
  var other: Level<Level<Level<Leaf>>>?

  init(position: Int, _ generator: inout SeededGenerator) {
    self.position = position
    value = .random(&generator)
    other = .random(&generator)
  }
}

@Suite("Random values of nested structs that are stored in several columns", .serialized)
struct CompositeDifferentialTests {
  private func json(_ value: some Encodable) throws -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = .sortedKeys
    return String(decoding: try encoder.encode(value), as: UTF8.self)
  }

  @Test("a nested struct that is saved and fetched has the same JSON as before", arguments: Engine.randomCases)
  func roundTrip(_ engine: Engine) throws {
    let seed = RandomTesting.seed
    var generator = SeededGenerator(seed: seed)
    let store = try TestStore(engine, [Nest.self])
    let context = store.context()
    let nests = (0..<200 * RandomTesting.soak).map { Nest(position: $0, &generator) }
    RandomTesting.note("composite values", nests.count)
    nests.forEach(context.insert)
    try context.save()
    for nest in nests where Bool.random(using: &generator) {
      nest.value = .random(&generator)
      nest.other = .random(&generator)
    }
    try context.save()
    let found = try store.context().fetch(FetchDescriptor<Nest>(sortBy: [SortDescriptor(\.position)]))
    try #require(found.count == nests.count)
    for (nest, back) in zip(nests, found) {
      let value = try JSONDecoder().decode(Level<Level<Leaf>>.self, from: Data(try json(nest.value).utf8))
      #expect(back.value == value && back.value == nest.value, "seed \(seed)")
      #expect(back.other == nest.other, "seed \(seed)")
      #expect(try json(back.other) == json(nest.other), "seed \(seed)")
    }
    let flag = changeFlag { for nest in nests { _ = (nest.value, nest.other) } }
    _ = try context.fetch(FetchDescriptor<Nest>())
    #expect(!flag.isRaised, "seed \(seed)")
  }
}
