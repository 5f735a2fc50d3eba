import ConformanceSupport
import OpenSwiftData
import Testing

/// Stores escape the characters U+0000 and U+0001 in texts.
@Suite("Texts with characters that stores escape")
struct ControlCharacterTests {
  private static let texts = [
    "", "\0", "\u{1}", "\u{2}", "\0\0", "\0\u{1}", "\u{1}\0", "\u{1}\u{1}", "\u{1}\u{2}", "\0\u{2}", "a", "a\0", "a\0b",
    "a\u{1}b", "ab", "a\0e\u{301}", "\r\0\n", "b\0",
  ]

  private static func world(_ engine: Engine) throws -> World {
    try World(engine) { context in
      for (index, text) in texts.enumerated() {
        let person = Person(text, age: index)
        person.tags = [text, "x"]
        person.nickname = text
        context.insert(person)
      }
    }
  }

  @Test(
    "an escaped character counts as one character, is found, and is sorted at its position", arguments: Engine.allCases)
  func predicates(_ engine: Engine) throws {
    let world = try Self.world(engine)
    for text in Self.texts {
      let words = text.debugDescription
      let list = [text]
      try world.check(#Predicate<Person> { $0.name == text }, words, matches: 1)
      try world.check(#Predicate<Person> { list.contains($0.name) }, words, matches: 1)
      try world.check(#Predicate<Person> { $0.name < text }, words)
      try world.check(#Predicate<Person> { $0.name.contains(text) }, words)
      try world.check(#Predicate<Person> { $0.name.starts(with: text) }, words)
      try world.check(#Predicate<Person> { text.contains($0.name) }, words)
      try world.check(#Predicate<Person> { $0.name.localizedStandardContains(text) }, words)
      try world.check(#Predicate<Person> { $0.tags.contains(text) }, words, matches: 1)
      try world.check(#Predicate<Person> { $0.tags[0] == $0.name }, words, matches: Self.texts.count)
      let same = ComparisonResult.orderedSame
      try world.check(#Predicate<Person> { $0.name.caseInsensitiveCompare(text) == same }, words)
      try world.check(#Predicate<Person> { $0.name.localizedCompare(text) == same }, words)
    }
    for count in 0...3 { try world.check(#Predicate<Person> { $0.name.count == count }) }
    try world.check(#Predicate<Person> { $0.name.contains(/^a.b$/) }, matches: 2)
    try world.check(#Predicate<Person> { $0.name.contains(/\x00/) })
  }

  @Test("aggregates return escaped characters unescaped", arguments: Engine.allCases)
  func aggregates(_ engine: Engine) throws {
    let world = try Self.world(engine)
    let keys = try world.context.grouped(by: \Person.name, .count).map(\.key)
    #expect(keys.map { Array($0.unicodeScalars) } == Self.texts.sorted().map { Array($0.unicodeScalars) }.map(composed))
    #expect(try world.context.min(of: \Person.nickname, where: #Predicate { $0.name != "" }) == "\0")
    #expect(try world.context.max(of: \Person.name) == "b\0")
    #expect(try world.context.aggregate(Person.self, .countDistinct(of: \.name)) == Self.texts.count)
  }

  /// The scalars of the text in normal form C.
  private func composed(_ scalars: [Unicode.Scalar]) -> [Unicode.Scalar] {
    var view = String.UnicodeScalarView()
    view.append(contentsOf: scalars)
    return Array(String(view).precomposedStringWithCanonicalMapping.unicodeScalars)
  }

  @Test("a store sorts by locale in the same order as memory", arguments: Engine.allCases)
  func localized(_ engine: Engine) throws {
    let world = try Self.world(engine)
    let order = [SortDescriptor(\Person.name, comparator: .localizedStandard), SortDescriptor(\Person.age)]
    let pending = try TestStore(engine, allModels).context()
    for (index, text) in Self.texts.enumerated() { pending.insert(Person(text, age: index)) }
    let saved = try world.context.fetch(FetchDescriptor(sortBy: order)).map(\.age)
    #expect(try pending.fetch(FetchDescriptor(sortBy: order)).map(\.age) == saved)
  }
}
