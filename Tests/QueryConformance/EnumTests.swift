import ConformanceSupport
import SwiftData
import Testing

@testable import PersistenceContext
@testable import PersistenceQueries
@testable import PersistenceRuntime

/// An enum that is not CaseIterable, and whose order is not the order of its raw values.
private enum Mood: String, Codable, Comparable {
  case good, fair, bad

  private var rank: Int { [.bad: 0, .fair: 1, .good: 2][self] ?? 0 }
  /// A text that differs from the raw value, except for one case.
  var title: String { self == .bad ? "bad" : "not bad" }

  static func < (lhs: Mood, rhs: Mood) -> Bool { lhs.rank < rhs.rank }
}

private enum Single: Int, Codable {
  case only = 7
}

private enum Payload {
  case none
  case some(Int)
}

@Model
private final class Day {
  var number: Int
  var mood: Mood
  var other: Mood?
  var moods: [Mood]
  var single: Single

  init(_ number: Int, _ mood: Mood, _ other: Mood?) {
    self.number = number
    self.mood = mood
    self.other = other
    moods = [mood] + (other.map { [$0] } ?? [])
    single = .only
  }
}

@Suite("Enums that are not CaseIterable")
struct EnumTests {
  private static func world(_ engine: Engine) throws -> World {
    let store = try TestStore(engine, [Day.self])
    let context = store.context()
    let moods: [Mood] = [.good, .bad, .fair, .bad, .good]
    for (number, mood) in moods.enumerated() {
      context.insert(Day(number, mood, number % 2 == 0 ? nil : moods[number - 1]))
    }
    try context.save()
    return World(store: store)
  }

  @Test("the store evaluates raw values, comparisons and lists of such enums", arguments: Engine.allCases)
  func predicates(_ engine: Engine) throws {
    let world = try Self.world(engine)
    let (bad, fair) = (Mood.bad, Mood.fair)
    try world.check(#Predicate<Day> { $0.mood.rawValue == "bad" }, matches: 2)
    try world.check(#Predicate<Day> { $0.mood.rawValue.starts(with: "g") }, matches: 2)
    try world.check(#Predicate<Day> { $0.other?.rawValue == "fair" }, matches: 1)
    try world.check(#Predicate<Day> { $0.single.rawValue == 7 }, matches: 5)
    try world.check(#Predicate<Day> { $0.mood > bad }, matches: 3)
    try world.check(#Predicate<Day> { ($0.other ?? bad) >= fair }, matches: 2)
    try world.check(#Predicate<Day> { $0.moods.contains(fair) }, matches: 2)
    try world.check(#Predicate<Day> { $0.moods.count == 1 }, matches: 3)
    try world.check(#Predicate<Day> { $0.mood.title == "bad" }, inMemory: true, matches: 2)
    let same = ComparisonResult.orderedSame.rawValue
    try world.check(#Predicate<Day> { $0.mood.rawValue.caseInsensitiveCompare("BAD").rawValue == same }, matches: 2)
  }

  @Test("the store sorts such enums by their own order", arguments: Engine.allCases)
  func order(_ engine: Engine) throws {
    let context = try Self.world(engine).context
    let descriptor = FetchDescriptor<Day>(sortBy: [SortDescriptor(\.mood), SortDescriptor(\.number)])
    #expect(try context.fetch(descriptor).map(\.number) == [1, 3, 2, 0, 4])
    #expect(try descriptor.explain(in: context).inMemory.isEmpty)
  }

  @Test("only enums without associated values have a list of cases")
  func cases() {
    #expect(EnumCases.all(of: Mood.self) == [.good, .fair, .bad])
    #expect(EnumCases.all(of: Single.self) == [.only])
    #expect(EnumCases.all(of: ComparisonResult.self) == [.orderedAscending, .orderedSame, .orderedDescending])
    #expect(EnumCases.all(of: Bool?.self) == nil)
    #expect(EnumCases.all(of: Payload.self) == nil)
    #expect(EnumCases.all(of: Never.self) == nil)
    #expect(EnumCases.all(of: Int.self) == nil)
    #expect(EnumCases.all(of: String.self) == nil)
    #expect(EnumCases.all(of: NSString.self) == nil)
    #expect(EnumCases.all(of: (Int, Int).self) == nil)
    #expect(EnumCases.all(of: (any Error).self) == nil)
    #expect(!EnumCases.isKnown(for: (() -> Void).self))
  }
}
