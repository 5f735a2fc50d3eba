import SwiftData
import Testing

/// Texts whose stored form differs from their spelling, such as decomposed file names of macOS, and texts that are
/// stored as they are.
private let texts = [
  "\u{1112}\u{1161}\u{11AB}\u{1100}\u{1173}\u{11AF}.txt", "\u{306F}\u{3099}\u{3093}.pdf", "Vie\u{323}\u{302}t Nam",
  "cafe\u{301}", "a\u{0}b", "\u{0}", "\u{1}", "\u{1}\u{1}x\u{1}\u{2}", "\u{212A}", "\u{37E}", "\u{1FEF}", "\u{F73}",
  "x\u{323}\u{31B}", "\u{1D15E}", "caf\u{E9}", "plain", "", "K;`",
]

private func exact(_ text: String?) -> ExactText? { text.map { ExactText($0) } }

@Suite("Texts and zeros are read with their original spelling and sign")
struct OriginalTextTests {
  @Test(
    "attributes, optionals, members of structs, raw values, arrays and subclasses keep the original spelling",
    arguments: Engine.allCases)
  func places(_ engine: Engine) throws {
    let store = try TestStore.ofPapers(engine)
    let context = store.context()
    for (index, text) in texts.enumerated() {
      let paper = Paper("\(index)", text)
      paper.subtitle = text
      paper.place = PaperPlace(city: text, hint: text, height: 1)
      paper.spare = PaperPlace(city: text, hint: nil, height: 2)
      paper.mark = PaperMark(rawValue: text)
      paper.tags = [text]
      context.insert(paper)
      let essay = Essay("essay \(index)", topic: text)
      essay.title = text
      context.insert(essay)
    }
    try context.save()
    try store.reopen()
    let fresh = store.context()
    let papers = try fresh.fetch(FetchDescriptor<Paper>(sortBy: [SortDescriptor(\.code)]))
    #expect(papers.count == texts.count * 2)
    for (index, text) in texts.enumerated() {
      let paper = try #require(papers.first { $0.code == "\(index)" })
      let found: [String?] = [
        paper.title, paper.subtitle, paper.place.city, paper.place.hint, paper.spare?.city, paper.mark.rawValue,
        paper.tags.first,
      ]
      #expect(found.map(exact) == Array(repeating: exact(text), count: found.count))
      let essay = try #require(papers.first { $0.code == "essay \(index)" } as? Essay)
      #expect([essay.topic, essay.title].map(exact) == [exact(text), exact(text)])
    }
    let essays = try store.context().fetch(FetchDescriptor<Essay>(sortBy: [SortDescriptor(\.title)]))
    #expect(Set(essays.map { ExactText($0.topic).description }) == Set(texts.map { ExactText($0).description }))
  }

  @Test("attributes, optionals, dates and members of structs keep the sign of zero", arguments: Engine.allCases)
  func zeros(_ engine: Engine) throws {
    let store = try TestStore.ofPapers(engine)
    for (code, zero) in [("minus", -0.0), ("plus", 0.0)] {
      let paper = Paper(code, weight: zero)
      paper.ratio = Float(zero)
      paper.date = Date(timeIntervalSinceReferenceDate: zero)
      paper.place.height = zero
      paper.spare = PaperPlace(city: "", height: zero)
      try store.savePapers(paper)
    }
    try store.reopen()
    for (code, sign) in [("minus", FloatingPointSign.minus), ("plus", .plus)] {
      let paper = try store.paper(code)
      #expect(paper.weight.sign == sign && paper.ratio?.sign == sign)
      #expect(paper.date.timeIntervalSinceReferenceDate.sign == sign)
      #expect(paper.place.height.sign == sign && paper.spare?.height.sign == sign)
      #expect(paper.weight == 0 && paper.place.height == 0)
    }
    let changing = store.context()
    try changing.paper("minus").weight = 0
    try changing.paper("plus").weight = -0.0
    try changing.save()
    #expect(try store.paper("minus").weight.sign == .plus)
    #expect(try store.paper("plus").weight.sign == .minus)
    #expect(try store.paper("minus").place.height.sign == .minus)
  }

  @Test("a text can be changed to its normalised form and back to the original spelling", arguments: Engine.allCases)
  func changes(_ engine: Engine) throws {
    let store = try TestStore.ofPapers(engine)
    try store.savePapers(Paper("1", "cafe\u{301}"), Paper("2", "caf\u{E9}"))
    for text in ["caf\u{E9}", "cafe\u{301}", "e\u{301}", "\u{E9}", "plain", "cafe\u{301}"] {
      let context = store.context()
      let paper = try context.paper("1")
      paper.title = text
      try context.save()
      #expect(exact(paper.title) == exact(text))
      #expect(exact(try store.paper("1").title) == exact(text))
    }
    let context = store.context()
    try context.paper("1").subtitle = "another column"
    try context.save()
    #expect(exact(try store.paper("1").title) == exact("cafe\u{301}"))
    #expect(exact(try store.paper("2").title) == exact("caf\u{E9}"))
  }

  @Test(
    "an upsert stores the spelling of the new object, whether the existing row has recorded originals or not",
    arguments: Engine.allCases)
  func upserts(_ engine: Engine) throws {
    let store = try TestStore.ofPapers(engine)
    try store.savePapers(Paper("e\u{301}", "e\u{301}"), Paper("1", "plain"))
    // The codes of both papers are equal under `==`, so the second save is an upsert. It must store the later spelling.
    try store.savePapers(Paper("\u{E9}", "\u{E9}"), Paper("1", "o\u{302}"), Paper("2", "u\u{308}"))
    let papers = try store.context().fetch(FetchDescriptor<Paper>(sortBy: [SortDescriptor(\.code)]))
    #expect(papers.map { ExactText($0.code) } == ["1", "2", "\u{E9}"].map(ExactText.init))
    #expect(papers.map { ExactText($0.title) } == ["o\u{302}", "u\u{308}", "\u{E9}"].map(ExactText.init))
    try store.savePapers(Paper("e\u{301}", "a\u{30A}"))
    #expect(exact(try store.paper("\u{E9}").code) == exact("e\u{301}"))
    #expect(exact(try store.paper("\u{E9}").title) == exact("a\u{30A}"))
  }

  @Test(
    "members of relationships and properties that are read later have the original spelling",
    arguments: Engine.allCases)
  func relationships(_ engine: Engine) throws {
    let store = try TestStore.ofPapers(engine)
    let context = store.context()
    for number in 0..<3 {
      let shelf = PaperShelf("she\u{301}lf \(number)")
      shelf.papers = [Paper("\(number)", "cafe\u{301}"), Essay("\(number)e", topic: "e\u{301}")]
      context.insert(shelf)
    }
    try context.save()
    let shelves = try store.context().fetch(FetchDescriptor<PaperShelf>(sortBy: [SortDescriptor(\.name)]))
    #expect(shelves.map { ExactText($0.name) } == (0..<3).map { ExactText("she\u{301}lf \($0)") })
    for shelf in shelves {
      #expect(shelf.papers.map { ExactText($0.title) } == ["cafe\u{301}", ""].map(ExactText.init))
      #expect(exact((shelf.papers.last as? Essay)?.topic) == exact("e\u{301}"))
    }
    let paper = try store.paper("1")
    #expect(exact(paper.shelf?.name) == exact("she\u{301}lf 1"))
    var descriptor = FetchDescriptor<Paper>()
    descriptor.propertiesToFetch = [\.code]
    let parts = try store.context().fetch(descriptor)
    #expect(parts.filter { $0.title.isEmpty == false }.allSatisfy { exact($0.title) == exact("cafe\u{301}") })
  }

  @Test(
    "contexts read each other's spellings, and a change of the spelling alone conflicts", arguments: Engine.allCases)
  func twoContexts(_ engine: Engine) throws {
    let store = try TestStore.ofPapers(engine)
    try store.savePapers(Paper("1", "cafe\u{301}"), Paper("2", "caf\u{E9}"))
    let (here, there) = (store.context(), store.context())
    here.conflictPolicy = .throwError
    let (mine, other) = (try here.paper("1"), try here.paper("2"))
    // The other context changes a different property, so the original spelling of the title must cause no conflict.
    mine.subtitle = "here"
    try there.paper("1").weight = 5
    try there.save()
    try here.save()
    #expect(exact(mine.title) == exact("cafe\u{301}"))
    // The other context changes the spelling of the same property.
    other.title = "tea"
    try there.paper("2").title = "cafe\u{301}"
    try there.save()
    #expect(throws: SwiftDataError.self) { try here.save() }
    here.rollback()
    #expect(exact(other.title) == exact("cafe\u{301}"))
    // A struct must conflict too, although its `==` treats both spellings as equal.
    other.place.city = "Rome"
    try there.paper("2").place.city = "cafe\u{301}"
    try there.save()
    here.rollback()
    other.place.height = 3
    try there.paper("2").place.city = "caf\u{E9}"
    try there.save()
    #expect(throws: SwiftDataError.self) { try here.save() }
    here.rollback()
    #expect(exact(other.place.city) == exact("caf\u{E9}"))
    try there.paper("2").title = "caf\u{E9}"
    try there.save()
    _ = try here.fetch(FetchDescriptor<Paper>())
    #expect(exact(other.title) == exact("caf\u{E9}"))
  }

  @Test("a transaction stores the new spelling, or restores the former one if it throws", arguments: Engine.allCases)
  func transactions(_ engine: Engine) throws {
    struct Stop: Error {}
    let store = try TestStore.ofPapers(engine)
    try store.savePapers(Paper("1", "cafe\u{301}"), Paper("2", "plain"))
    let context = store.context()
    let (first, second) = (try context.paper("1"), try context.paper("2"))
    #expect(throws: Stop.self) {
      try context.transaction {
        (first.title, second.title) = ("caf\u{E9}", "e\u{301}")
        context.insert(Paper("3", "o\u{302}"))
        try context.save()
        #expect(try context.fetch(FetchDescriptor<Paper>()).map { ExactText($0.title) }.contains(ExactText("o\u{302}")))
        throw Stop()
      }
    }
    #expect([first.title, second.title].map(exact) == ["cafe\u{301}", "plain"].map(exact))
    #expect(exact(try store.paper("1").title) == exact("cafe\u{301}"))
    #expect(exact(try store.paper("2").title) == exact("plain"))
    try context.transaction {
      second.title = "e\u{301}"
      try context.save()
      #expect(exact(try context.paper("2").title) == exact("e\u{301}"))
      second.title = "\u{E9}"
    }
    #expect(exact(try store.paper("2").title) == exact("\u{E9}"))
  }

  @Test(
    "enum cases are read correctly, although no original is recorded for their raw values", arguments: Engine.allCases)
  func enums(_ engine: Engine) throws {
    let store = try TestStore.ofPapers(engine)
    for kind in PaperKind.allCases {
      let paper = Paper("\(kind)")
      paper.kind = kind
      try store.savePapers(paper)
    }
    for kind in PaperKind.allCases { #expect(try store.paper("\(kind)").kind == kind) }
    let context = store.context()
    try context.paper("plain").kind = .void
    try context.save()
    #expect(try store.paper("plain").kind == .void)
    if engine == .file { #expect(try store.originals() == []) }
  }

  @Test(
    "a few rows have their original spelling among 1,500 rows, most of which need no original",
    arguments: Engine.allCases)
  func manyRows(_ engine: Engine) throws {
    let store = try TestStore.ofPapers(engine)
    let context = store.context()
    for number in 0..<1_500 {
      context.insert(Paper("\(number)", number % 250 == 249 ? "\u{1112}\u{1161}\(number)" : "\u{D558}\(number)"))
    }
    try context.save()
    let papers = try store.context().fetch(FetchDescriptor<Paper>())
    #expect(papers.count == 1_500)
    for paper in papers {
      let number = Int(paper.code) ?? 0
      #expect(exact(paper.title) == exact(number % 250 == 249 ? "\u{1112}\u{1161}\(number)" : "\u{D558}\(number)"))
    }
  }
}
