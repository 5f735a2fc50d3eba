import ConformanceSupport
import OpenSwiftData
import Testing

private enum Grade: String, Codable, CaseIterable {
  case noted = "note\u{301}"
  case plain = "note"
  case ended = "a\0"
}

@Model
private final class Entry {
  #Index<Entry>([\.title])
  var title: String
  var other: String
  var note: String?
  var grade: Grade
  var last: Grade?
  var tags: [String]
  var counts: [String: Int]
  var link: URL?

  init(_ title: String, other: String = "", grade: Grade = .plain, tags: [String] = [], counts: [String: Int] = [:]) {
    self.title = title
    self.other = other
    self.grade = grade
    self.tags = tags
    self.counts = counts
  }
}

@Model
private final class Label {
  @Attribute(.unique) var name: String
  var count: Int

  init(_ name: String, _ count: Int) {
    self.name = name
    self.count = count
  }
}

/// Groups of texts that are equal in Swift but have different bytes: Latin, Korean and Kana letters, combining marks in
/// another order, characters with singleton decompositions, and longer texts with some of these in the middle.
private let spellings = [
  ["\u{E9}", "e\u{301}"], ["\u{AC01}", "\u{1100}\u{1161}\u{11A8}", "\u{AC00}\u{11A8}"],
  ["\u{D55C}\u{AD6D}", "\u{1112}\u{1161}\u{11AB}\u{1100}\u{116E}\u{11A8}"], ["\u{304C}", "\u{304B}\u{3099}"],
  ["\u{30D1}\u{30F3}", "\u{30CF}\u{309A}\u{30F3}"], ["\u{C5}", "A\u{30A}", "\u{212B}"], ["K", "\u{212A}"],
  ["\u{1ED9}", "o\u{323}\u{302}", "o\u{302}\u{323}"], ["x\u{31B}\u{323}", "x\u{323}\u{31B}"],
  ["caf\u{E9}s", "cafe\u{301}s"], ["\u{439}", "\u{438}\u{306}"], ["\u{8C48}", "\u{F900}"],
]

@Suite("Canonically equivalent texts")
struct SpellingTests {
  private static func world(_ engine: Engine, _ entries: [Entry]) throws -> World {
    let store = try TestStore(engine, [Entry.self, Label.self])
    let context = store.context()
    for entry in entries { context.insert(entry) }
    try context.save()
    return World(store: store)
  }

  @Test(
    "a text is found by each equivalent text, as a single value, in lists and as a dictionary key",
    arguments: Engine.allCases)
  func equality(_ engine: Engine) throws {
    let world = try Self.world(engine, spellings.joined().map { Entry($0) })
    let all = spellings.joined().count
    for spelling in spellings {
      for text in spelling {
        let (words, count) = (text.debugDescription, spelling.count)
        let (list, set, numbers) = ([text, "none"], Set([text]), [text: 7])
        try world.check(#Predicate<Entry> { $0.title == text }, words, matches: count)
        try world.check(#Predicate<Entry> { $0.title != text }, words, matches: all - count)
        try world.check(#Predicate<Entry> { list.contains($0.title) }, words, matches: count)
        try world.check(#Predicate<Entry> { set.contains($0.title) }, words, matches: count)
        try world.check(#Predicate<Entry> { numbers[$0.title] == 7 }, words, matches: count)
        try world.check(#Predicate<Entry> { ($0.note ?? text) == $0.title }, words, matches: count)
      }
    }
  }

  @Test("a range between two equivalent texts contains all equivalent texts", arguments: Engine.allCases)
  func ranges(_ engine: Engine) throws {
    let world = try Self.world(engine, spellings.joined().map { Entry($0) })
    for spelling in spellings {
      for text in spelling {
        let range = text...text
        try world.check(#Predicate<Entry> { range.contains($0.title) }, text.debugDescription, matches: spelling.count)
        try world.check(#Predicate<Entry> { $0.title >= text && $0.title <= text }, matches: spelling.count)
        try world.check(#Predicate<Entry> { $0.title < text && $0.title > text }, matches: 0)
      }
    }
  }

  @Test(
    "the store and memory sort texts in the same order, even where Swift defines no order", arguments: Engine.allCases)
  func order(_ engine: Engine) throws {
    let texts =
      spellings.joined() + [
        "", "\0", "\u{1}", "a", "a\0b", "a\u{1}", "caf\u{E9}", "cafe\u{301}", "cafe", "\u{F40}\u{F73}", "\u{F75}",
        "\u{F81}", "x\u{323}", "\u{FFFF}", "\u{10000}", "\u{10FFFF}", "\u{E000}",
      ]
    let store = try TestStore(engine, [Entry.self, Label.self])
    let context = store.context()
    for text in texts { context.insert(Entry(text, other: text)) }
    for order in [SortOrder.forward, .reverse] {
      // The property `title` has an index, the property `other` has none.
      let (sort, plain) = (SortDescriptor(\Entry.title, order: order), SortDescriptor(\Entry.other, order: order))
      let pending = try context.fetch(FetchDescriptor(sortBy: [sort])).map(\.title)
      try context.save()
      let saved = try store.context().fetch(FetchDescriptor(sortBy: [sort])).map(\.title)
      #expect(pending == saved)
      #expect(try store.context().fetch(FetchDescriptor(sortBy: [plain])).map(\.title) == saved)
    }
    for text in texts {
      let below = #Predicate<Entry> { $0.title < text }
      let stored = try store.context().fetch(FetchDescriptor(predicate: below)).map(\.title)
      let inMemory = try context.fetch(FetchDescriptor<Entry>()).filter { try below.holds(for: $0) }.map(\.title)
      #expect(stored == inMemory, "\(text.debugDescription)")
      let range = text...
      let from = #Predicate<Entry> { range.contains($0.title) }
      #expect(try store.context().fetchCount(FetchDescriptor(predicate: from)) == texts.count - stored.count)
      #expect(
        try context.fetch(FetchDescriptor<Entry>()).count { try from.holds(for: $0) } == texts.count - stored.count)
    }
  }

  @Test("a fetch sorts saved and unsaved objects together", arguments: Engine.allCases)
  func merged(_ engine: Engine) throws {
    let world = try Self.world(engine, [Entry("caf\u{E9}s"), Entry("cafe\u{301}")])
    let context = world.store.context()
    for text in ["cafe\u{301}s", "caf\u{E9}", "cafe"] { context.insert(Entry(text)) }
    let sorted = try context.fetch(FetchDescriptor(sortBy: [SortDescriptor(\Entry.title)])).map(\.title)
    #expect(sorted == ["cafe", "caf\u{E9}", "caf\u{E9}", "caf\u{E9}s", "caf\u{E9}s"])
    #expect(try context.max(of: \Entry.title) == "caf\u{E9}s")
    #expect(try context.distinct(\Entry.title) == ["cafe", "caf\u{E9}", "caf\u{E9}s"])
  }

  @Test("enums are found, sorted and grouped by raw values in any equivalent spelling", arguments: Engine.allCases)
  func rawValues(_ engine: Engine) throws {
    let world = try Self.world(engine, [Grade.noted, .plain, .ended, .noted].map { Entry($0.rawValue, grade: $0) })
    for grade in Grade.allCases {
      let list = [grade]
      let count = grade == .noted ? 2 : 1
      try world.check(#Predicate<Entry> { $0.grade == grade }, grade.rawValue, matches: count)
      try world.check(#Predicate<Entry> { list.contains($0.grade) }, grade.rawValue, matches: count)
      try world.check(#Predicate<Entry> { $0.grade.rawValue == $0.title }, grade.rawValue, matches: 4)
    }
    try world.check(#Predicate<Entry> { $0.grade.rawValue == "not\u{E9}" }, matches: 2)
    let groups = try world.context.grouped(by: \Entry.grade, .count)
    #expect(groups.map(\.key) == [.ended, .plain, .noted] && groups.map(\.values) == [1, 1, 2])
    #expect(try world.context.fetch(FetchDescriptor<Entry>()).map(\.grade) == [.noted, .plain, .ended, .noted])
  }

  @Test("groups, counts, minima and maxima treat equivalent texts as one", arguments: Engine.allCases)
  func aggregates(_ engine: Engine) throws {
    let world = try Self.world(engine, spellings.joined().map { Entry($0, tags: [$0]) })
    let context = world.context
    #expect(try context.aggregate(Entry.self, .countDistinct(of: \.title)) == spellings.count)
    #expect(try context.aggregate(Entry.self, .countDistinct(of: \.tags)) == spellings.count)
    let groups = try context.grouped(by: \Entry.title, .count)
    #expect(Set(groups.map(\.key)) == Set(spellings.map { $0[0] }))
    for group in groups { #expect(group.values == spellings.first { $0[0] == group.key }?.count) }
    #expect(try context.min(of: \Entry.title) == "K")
    #expect(try context.max(of: \Entry.title) == "\u{D55C}\u{AD6D}")
  }

  @Test("an element of a collection equals equivalent texts in columns and parameters", arguments: Engine.allCases)
  func elements(_ engine: Engine) throws {
    let pairs = spellings.flatMap { spelling in spelling.flatMap { one in spelling.map { (one, $0) } } }
    let entries = pairs.map { one, other in Entry(one, other: other, tags: ["", other], counts: [other: 3]) }
    let world = try Self.world(engine, entries)
    try world.check(#Predicate<Entry> { $0.tags.contains($0.title) }, matches: pairs.count)
    try world.check(#Predicate<Entry> { $0.tags[1] == $0.title }, matches: pairs.count)
    try world.check(#Predicate<Entry> { ($0.tags.max() ?? "") == $0.title }, matches: pairs.count)
    try world.check(#Predicate<Entry> { $0.counts[$0.title] == 3 }, matches: pairs.count)
    try world.check(#Predicate<Entry> { $0.title == $0.other }, matches: pairs.count)
    for spelling in spellings {
      for text in spelling {
        let (tags, lists, count) = (["", text], [["", text]], spelling.count * spelling.count)
        try world.check(#Predicate<Entry> { $0.tags.contains(text) }, text.debugDescription, matches: count)
        try world.check(#Predicate<Entry> { $0.tags.contains { $0 == text } }, text.debugDescription, matches: count)
        try world.check(#Predicate<Entry> { $0.counts[text] == 3 }, text.debugDescription, matches: count)
        try world.check(#Predicate<Entry> { $0.tags == tags }, text.debugDescription, matches: count)
        try world.check(#Predicate<Entry> { lists.contains($0.tags) }, text.debugDescription, matches: count)
      }
    }
  }

  @Test("two equivalent texts are the same value of a unique attribute", arguments: Engine.allCases)
  func unique(_ engine: Engine) throws {
    let store = try TestStore(engine, [Entry.self, Label.self])
    for (number, text) in spellings.joined().enumerated() {
      let context = store.context()
      context.insert(Label(text, number))
      try context.save()
    }
    let labels = try store.context().fetch(FetchDescriptor<Label>(sortBy: [SortDescriptor(\.count)]))
    #expect(labels.map(\.name) == spellings.map { $0[0] })
    #expect(labels.last?.count == spellings.joined().count - 1)
  }

  @Test("URLs are compared without normalization")
  func links() throws {
    let world = try Self.world(
      .memory,
      ["a", "b", nil].map { name in
        let entry = Entry(name ?? "")
        entry.link = name.flatMap { URL(string: "https://example.org/\($0)/%C3%A9") }
        return entry
      })
    let (link, other) = (URL(string: "https://example.org/a/%C3%A9"), URL(string: "https://example.org/a/e%CC%81"))
    try world.check(#Predicate<Entry> { $0.link == link }, matches: 1)
    try world.check(#Predicate<Entry> { $0.link == other }, matches: 0)
    try world.check(#Predicate<Entry> { $0.link != other }, matches: 3)
  }
}
