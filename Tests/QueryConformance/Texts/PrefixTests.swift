import ConformanceSupport
import SwiftData
import Testing

@testable import PersistenceQueries

@Suite("Searches for texts with a prefix")
struct PrefixTests {
  /// The last characters of the tested prefixes: for each length in UTF-8 the last scalar and the first one of the next
  /// length, scalars that compose with the following scalar, and scalars that form one character with it.
  private static let ends = [
    "a", "\u{7F}", "\u{80}", "\u{7FF}", "\u{800}", "\u{D7FF}", "\u{E000}", "\u{FFFF}", "\u{10000}", "\u{10FFFF}", "\0",
    "\u{1}", "\u{2}", "\r", "\n", "\r\n", "e", "\u{E9}", "e\u{301}", "\u{301}", "\u{AC00}", "\u{AC01}", "\u{1100}",
    "\u{1100}\u{1161}", "\u{304B}", "\u{304C}", "\u{304B}\u{3099}", "\u{3099}", "\u{4E2D}", "\u{439}", "\u{600}",
    "\u{200D}", "\u{1F468}", "\u{1F468}\u{200D}\u{1F469}", "\u{1F1E9}", "\u{1F1E9}\u{1F1EA}", "\u{F40}\u{F73}",
    "\u{F71}",
  ]

  private static let texts = ends + ends.map { "x" + $0 } + ends.flatMap { end in ends.map { end + $0 } }

  @Test(
    "for any last character of a prefix, the search finds the texts whose characters start with the prefix",
    arguments: Engine.allCases)
  func everyEnd(_ engine: Engine) throws {
    let world = try World(engine) { context in
      for (index, text) in Self.texts.enumerated() { context.insert(Person(text, age: index)) }
    }
    let people = try world.context.fetch(FetchDescriptor<Person>())
    for prefix in ["", "x"] + Self.ends + Self.ends.map({ "x" + $0 }) {
      let predicate = #Predicate<Person> { $0.name.starts(with: prefix) }
      let found = try world.store.context().fetch(FetchDescriptor(predicate: predicate)).map(\.age)
      let wanted = people.filter { $0.name.starts(with: prefix) }.map(\.age)
      #expect(found == wanted, "\(prefix.debugDescription)")
      #expect(try world.obstacles(to: predicate).isEmpty)
    }
    #expect(
      try world.context.fetchCount(FetchDescriptor<Person>(predicate: #Predicate { $0.name.starts(with: "") }))
        == Self.texts.count)
  }

  @Test("a prefix whose last character is not ASCII uses a range of an index")
  func ranges() throws {
    let world = try World()
    let context = world.store.context()
    for prefix in ["Cle\u{301}", "\u{AC00}\u{11A8}", "a\u{10FFFF}", "\u{304B}\u{3099}", "\0"] {
      let predicate = #Predicate<Person> { $0.name.starts(with: prefix) }
      let explanation = try FetchDescriptor(predicate: predicate).explain(in: context)
      #expect(explanation.plan.contains { $0.text.contains("(name>? AND name<?)") }, "\(explanation)")
    }
  }
}
