import SwiftData
import Testing

@Suite("Orders of texts", .serialized)
struct TextOrderTests {
  private static let words = [
    "b", "B", "a", "A", "", "Z", "z", "10", "9", "2", "a10", "a9", "A9", "é", "É", "e", "E", "f", "ß", "ss", "st", "Ä",
    "ä", "_", "-", "a b", "ab", "a-b", "Å", "日", "あ", "😀", "ñ", "n", "o", "e\u{301}", "007", "7", "07",
    "1234567890123", "1234567890124",
  ]

  private func found(
    _ engine: Engine, _ order: SortDescriptor<Text>, readsTexts: Bool = true
  ) throws -> (pending: [String], saved: [String]) {
    let store = try TestStore(engine)
    let context = store.context()
    for word in Self.words { context.insert(Text(word, subtitle: word.isEmpty ? nil : word)) }
    let pending = try context.fetch(FetchDescriptor(sortBy: [order])).map(\.title)
    try context.save()
    let fresh = store.context()
    let inMemory = try FetchDescriptor(sortBy: [order]).explain(in: fresh).inMemory
    #expect(inMemory.isEmpty == (!readsTexts || engine.has(.readingTexts)))
    return (pending, try fresh.fetch(FetchDescriptor(sortBy: [order])).map(\.title))
  }

  @Test("the standard comparator has the order of Foundation's comparison", arguments: Engine.allCases)
  func standard(_ engine: Engine) throws {
    let wanted = Self.words.sorted { $0.localizedStandardCompare($1) == .orderedAscending }
    let (pending, saved) = try found(engine, SortDescriptor(\.title, comparator: .localizedStandard))
    #expect(pending == wanted)
    #expect(saved == wanted)
    let names = saved.filter { ["a9", "A9", "a10", "e", "é", "f"].contains($0) }
    #expect(names == ["a9", "A9", "a10", "e", "é", "f"] || names == ["a9", "A9", "a10", "e", "e\u{301}", "é", "f"])
    let optional = try found(engine, SortDescriptor(\.subtitle, comparator: .localizedStandard))
    #expect(optional.pending == wanted && optional.saved == wanted)
  }

  @Test("the localized comparator has the order of Foundation's comparison", arguments: Engine.allCases)
  func localized(_ engine: Engine) throws {
    let (pending, saved) = try found(engine, SortDescriptor(\.title, comparator: .localized))
    #expect(pending == saved)
    #expect(zip(saved, saved.dropFirst()).allSatisfy { $0.localizedCompare($1) != .orderedDescending })
    let optional = try found(engine, SortDescriptor(\.subtitle, comparator: .localized, order: .reverse))
    #expect(optional.saved.last == "")
    #expect(optional.pending == optional.saved)
  }

  @Test(
    "the lexical comparator orders by Unicode scalars, like a sort without a comparator", arguments: Engine.allCases)
  func lexical(_ engine: Engine) throws {
    let wanted = Self.words.enumerated().sorted { ($0.element, $0.offset) < ($1.element, $1.offset) }.map(\.element)
    let (pending, saved) = try found(engine, SortDescriptor(\.title, comparator: .lexical), readsTexts: false)
    #expect(pending == saved)
    #expect(Set(saved) == Set(wanted))
    #expect(try found(engine, SortDescriptor(\.title), readsTexts: false).saved == saved)
  }

  @Test("a reversed comparator reverses the order, including one in a variable or in generic code")
  func reverse() throws {
    let order = String.StandardComparator(.localizedStandard, order: .reverse)
    let forward = try found(.memory, SortDescriptor(\.title, comparator: .localizedStandard)).saved
    #expect(try found(.memory, SortDescriptor(\.title, comparator: order)).saved == Array(forward.reversed()))
    #expect(try found(.memory, Self.generic(\Text.title)).saved == Array(forward.reversed()))
  }

  private static func generic<Root>(_ keyPath: any KeyPath<Root, String> & Sendable) -> SortDescriptor<Root> {
    SortDescriptor(keyPath, comparator: .localizedStandard, order: .reverse)
  }

  @Test("texts of related models are also compared by locale", arguments: Engine.allCases)
  func related(_ engine: Engine) throws {
    let store = try TestStore(engine)
    let context = store.context()
    for (title, name) in [("1", "a10"), ("2", "A9"), ("3", "Éa"), ("4", "f"), ("5", "e")] {
      context.insert(Text(title, author: Author(name)))
    }
    context.insert(Text("6"))
    let order = SortDescriptor(\Text.author?.name, comparator: .localizedStandard)
    let wanted = ["6", "2", "1", "5", "3", "4"]
    #expect(try context.fetch(FetchDescriptor(sortBy: [order])).map(\.title) == wanted)
    try context.save()
    #expect(try store.context().fetch(FetchDescriptor(sortBy: [order])).map(\.title) == wanted)
    let inMemory = try FetchDescriptor(sortBy: [order]).explain(in: store.context()).inMemory
    #expect(inMemory.isEmpty == engine.has(.readingTexts))
  }

  @Test("arrays of texts are sorted by the same comparison")
  func arrays() {
    let wanted = Self.words.sorted { $0.localizedStandardCompare($1) == .orderedAscending }
    #expect(Self.words.sorted(using: .localizedStandard) == wanted)
    #expect(Self.words.sorted(using: KeyPathComparator(\.self, comparator: .localizedStandard)) == wanted)
  }

  @Test("different comparators are not equal")
  func comparators() {
    let all: Set<String.StandardComparator> = [.localizedStandard, .localized, .lexical]
    #expect(all.count == 3)
    #expect(String.StandardComparator.localizedStandard.order == .forward)
  }
}
