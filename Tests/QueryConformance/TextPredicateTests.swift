import ConformanceSupport
import SwiftData
import Testing

@Suite("Predicates on texts with Swift's semantics")
struct UnicodePredicateTests {
  static let texts = [
    "", "a", "A", "e", "\u{E9}", "e\u{301}", "E\u{301}", "ae\u{301}b", "cafe\u{301}", "caf\u{E8}s", "cafe", "K",
    "\u{212A}", "Karl", "\u{212A}arl", ";", "\u{37E}", "\r\n", "\n", "a\r\nb", "x\u{301}", "x", "\u{1E9}",
    "\u{AC00}", "\u{1100}\u{1161}", "\u{1F468}\u{200D}\u{1F469}", "\u{1F468}", "o\u{323}\u{302}",
    "o\u{302}\u{323}", "\u{1ED9}", "stra\u{DF}e", "STRASSE", "\u{65E5}\u{672C}", "\u{65E5}", "\u{3042}\u{3099}",
    "\u{43D}\u{438}\u{306}", "\u{43D}\u{439}", "z\0z", "z", "%", "I", "i",
    "\u{130}", "\u{131}", "Emma", "EMMA", "gemma", "\u{FB01}n", "fin",
  ]

  static func world(_ engine: Engine) throws -> World {
    try World(engine) { context in
      for (index, text) in texts.enumerated() { context.insert(Person(text, age: index)) }
    }
  }

  @Test("texts are equal if they are canonically equivalent", arguments: Engine.allCases)
  func equality(_ engine: Engine) throws {
    let world = try Self.world(engine)
    for text in Self.texts {
      let list = [text, "none"]
      try world.check(#Predicate<Person> { $0.name == text }, text.debugDescription)
      try world.check(#Predicate<Person> { $0.name != text }, text.debugDescription)
      try world.check(#Predicate<Person> { list.contains($0.name) }, text.debugDescription)
    }
  }

  @Test("texts are ordered by their normal form", arguments: Engine.allCases)
  func order(_ engine: Engine) throws {
    let world = try Self.world(engine)
    for text in Self.texts {
      try world.check(#Predicate<Person> { $0.name < text }, text.debugDescription)
      try world.check(#Predicate<Person> { $0.name >= text }, text.debugDescription)
      let range = min(text, "b")..<max(text, "b")
      try world.check(#Predicate<Person> { range.contains($0.name) }, text.debugDescription)
    }
  }

  @Test("texts contain and start with characters, not scalars", arguments: Engine.allCases)
  func searches(_ engine: Engine) throws {
    let world = try Self.world(engine)
    for text in Self.texts {
      try world.check(#Predicate<Person> { $0.name.contains(text) }, text.debugDescription)
      try world.check(#Predicate<Person> { $0.name.starts(with: text) }, text.debugDescription)
      try world.check(#Predicate<Person> { text.contains($0.name) }, text.debugDescription)
      try world.check(#Predicate<Person> { text.starts(with: $0.name) }, text.debugDescription)
    }
  }

  @Test("texts are searched and compared by locale", arguments: Engine.allCases)
  func localized(_ engine: Engine) throws {
    let world = try Self.world(engine)
    let (same, ascending) = (ComparisonResult.orderedSame, ComparisonResult.orderedAscending)
    for text in Self.texts {
      try world.check(#Predicate<Person> { $0.name.localizedStandardContains(text) }, text.debugDescription)
      try world.check(#Predicate<Person> { $0.name.caseInsensitiveCompare(text) == same }, text.debugDescription)
      try world.check(#Predicate<Person> { $0.name.localizedCompare(text) == ascending }, text.debugDescription)
    }
  }

  @Test("the count of a text is its number of characters", arguments: Engine.allCases)
  func counts(_ engine: Engine) throws {
    let world = try Self.world(engine)
    try world.check(#Predicate<Person> { $0.name.count == 1 })
    try world.check(#Predicate<Person> { $0.name.count > 2 })
    try world.check(#Predicate<Person> { $0.name.isEmpty }, matches: 1)
  }
}
