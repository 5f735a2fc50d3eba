import ConformanceSupport
import Foundation
import OpenSwiftData
import SwiftData
import Testing

/// Texts whose stored form differs from the text that is read. The store keeps the original text of some of them.
private let texts = [
  "CAFE\u{301}", "caf\u{E9}", "cafe", "\u{212A}elvin", "kelvin", "\u{1112}\u{1161}\u{11AB}\u{1100}\u{1173}\u{11AF}",
  "\u{D55C}\u{AE00}", "x\u{323}\u{31B}y", "x\u{31B}\u{323}y", "a\0b", "a\u{1}\u{1}b", "A\0B", "\u{304B}\u{3099}",
  "\u{304C}", "\u{FB01}n", "stra\u{DF}e", "STRASSE", "I\u{307}", "\u{130}", "e\u{301}\u{323}", "\u{1EB9}\u{301}", "",
]

private let parts = [
  "e\u{301}", "\u{E9}", "E", "fe", "k", "\u{212A}", "\u{AE00}", "\u{1100}\u{1173}\u{11AF}", "x\u{31B}\u{323}", "y",
  "\0",
  "\u{1}", "b", "\u{304C}", "\u{304B}", "\u{3099}", "fi", "ss", "\u{DF}", "i", "\u{1EB9}", "\u{323}", "",
]

@Suite("Searches in texts that differ from their stored form")
struct SearchedSpellingTests {
  private static func world(_ engine: Engine) throws -> World {
    try World(engine) { context in
      for (index, text) in texts.enumerated() { context.insert(Person(text, age: index)) }
    }
  }

  @Test(
    "the store finds the same texts as a search of the original texts in memory", arguments: [Engine.memory, .file])
  func searches(_ engine: Engine) throws {
    let world = try Self.world(engine)
    for part in parts {
      let words = part.debugDescription
      try world.check(#Predicate<Person> { $0.name.contains(part) }, "contains \(words)")
      try world.check(#Predicate<Person> { $0.name.starts(with: part) }, "starts \(words)")
      try world.check(#Predicate<Person> { $0.name.localizedStandardContains(part) }, "localized \(words)")
      try world.check(#Predicate<Person> { $0.name < part }, "less \(words)")
    }
    let (same, ascending) = (ComparisonResult.orderedSame, ComparisonResult.orderedAscending)
    for text in texts {
      let words = text.debugDescription
      try world.check(
        #Predicate<Person> { $0.name.caseInsensitiveCompare(text) == same }, "folded \(words)")
      try world.check(
        #Predicate<Person> { $0.name.localizedCompare(text) == ascending }, "compared \(words)")
      let count = text.count
      try world.check(#Predicate<Person> { $0.name.count == count }, "count \(words)")
    }
  }

  @Test(
    "a regular expression finds the same texts in the store as in the original texts",
    arguments: [Engine.memory, .file])
  func expressions(_ engine: Engine) throws {
    let world = try Self.world(engine)
    try world.check(#Predicate<Person> { $0.name.contains(/caf\u{E9}/) }, matches: 1)
    try world.check(#Predicate<Person> { $0.name.contains(/CAFe\u{301}/) })
    try world.check(#Predicate<Person> { $0.name.contains(/(?i)cafe\u{301}/) })
    try world.check(#Predicate<Person> { $0.name.contains(/[\u{E0}-\u{FC}]/) })
    try world.check(#Predicate<Person> { $0.name.contains(/^.{2}$/) })
    try world.check(#Predicate<Person> { $0.name.contains(/^\w+$/) })
    try world.check(#Predicate<Person> { $0.name.contains(/\u{D55C}./) }, matches: 2)
    try world.check(#Predicate<Person> { $0.name.contains(/[\u{AC00}-\u{D7A3}]/) }, matches: 2)
  }

  @Test(
    "a search matches an unsaved object exactly if it matches the object's row after the save",
    arguments: [Engine.memory, .file])
  func pending(_ engine: Engine) throws {
    let store = try TestStore(engine, allModels)
    let context = store.context()
    for (index, text) in texts.enumerated() { context.insert(Person(text, age: index)) }
    let predicates = [
      #Predicate<Person> { $0.name.contains(/^K/) }, #Predicate { $0.name.localizedStandardContains("\u{304B}") },
      #Predicate { $0.name.contains("\u{304B}") }, #Predicate { $0.name.localizedStandardContains("\u{323}") },
    ]
    func found() throws -> [[Int]] {
      try predicates.map { predicate in
        try context.fetch(FetchDescriptor(predicate: predicate, sortBy: [SortDescriptor(\.age)])).map(\.age)
      }
    }
    let new = try found()
    try context.save()
    let saved = try found()
    for person in try context.fetch(FetchDescriptor<Person>()) { person.nickname = "changed" }
    #expect(new == saved && saved[0] == [3])
    #expect(try found() == saved)
  }

  @Test("saved and new objects are sorted by locale in the same order", arguments: [Engine.memory, .file])
  func orders(_ engine: Engine) throws {
    let store = try TestStore(engine, allModels)
    let context = store.context()
    for (index, text) in texts.enumerated() { context.insert(Person(text, age: index)) }
    let orders = [
      SortDescriptor(\Person.name, comparator: .localizedStandard),
      SortDescriptor(\Person.name, comparator: .localized),
      SortDescriptor(\Person.name, comparator: .lexical), SortDescriptor(\Person.name),
    ]
    let pending = try orders.map { try context.fetch(FetchDescriptor(sortBy: [$0, SortDescriptor(\.age)])).map(\.age) }
    try context.save()
    for (order, wanted) in zip(orders, pending) {
      let descriptor = FetchDescriptor(sortBy: [order, SortDescriptor(\.age)])
      #expect(try store.context().fetch(descriptor).map(\.age) == wanted)
      #expect(try descriptor.explain(in: store.context()).inMemory.isEmpty)
    }
  }
}
