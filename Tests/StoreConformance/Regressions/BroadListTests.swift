import ConformanceSupport
import SwiftData
import Testing

/// The reference of a member to its list shares a change bit with other properties. A save that writes the other
/// properties therefore also writes the reference, which must not move the member within the list.
@Suite("The order of lists whose members have more properties than the change mask has bits")
struct BroadListTests {
  /// A store with two lists. The first has the members 4, 2, 5, 1, 3, so their order differs from the order of their
  /// keys.
  private struct Scene {
    let store: TestStore

    init(_ engine: Engine) throws {
      store = try TestStore(engine, [BroadList.self, BroadMember.self, BroadMark.self])
      let context = store.context()
      let (first, second, mark) = (BroadList("first"), BroadList("second"), BroadMark("mark"))
      for model in [first, second, mark] as [any PersistentModel] { context.insert(model) }
      first.members = (1...5).map { BroadMember($0) }
      second.members = (6...7).map { BroadMember($0) }
      try context.save()
      mark.members = Array(first.members.prefix(3))
      first.members = [4, 2, 5, 1, 3].map { number in first.members[number - 1] }
      try context.save()
    }

    /// Reopens the store, and returns the numbers of the list's members in a new context.
    func numbers(_ name: String = "first") throws -> [Int] {
      try store.reopen()
      return try store.context().list(name).members.map(\.number)
    }
  }

  @Test("an unread list keeps its order when a member changes", arguments: Engine.allCases)
  func unread(_ engine: Engine) throws {
    let scene = try Scene(engine)
    let context = scene.store.context()
    try context.member(2).note = "changed"
    try context.save()
    #expect(try scene.numbers() == [4, 2, 5, 1, 3])
  }

  @Test("a list keeps its order when an object to which members refer is deleted", arguments: Engine.allCases)
  func related(_ engine: Engine) throws {
    let scene = try Scene(engine)
    let context = scene.store.context()
    for mark in try context.fetch(FetchDescriptor<BroadMark>()) { context.delete(mark) }
    try context.save()
    #expect(try scene.numbers() == [4, 2, 5, 1, 3])
  }

  @Test(
    "a list keeps its order when a save changes its members and a later save moves them", arguments: Engine.allCases)
  func moved(_ engine: Engine) throws {
    let scene = try Scene(engine)
    let context = scene.store.context()
    let list = try context.list("first")
    for member in list.members { member.note = "changed" }
    try context.save()
    #expect(try scene.store.context().list("first").members.map(\.number) == [4, 2, 5, 1, 3])
    list.members.swapAt(0, 4)
    try context.save()
    #expect(try scene.numbers() == [3, 2, 5, 1, 4])
  }

  @Test("a list keeps its order when a member is removed and added again in one save", arguments: Engine.allCases)
  func back(_ engine: Engine) throws {
    let scene = try Scene(engine)
    let context = scene.store.context()
    let (list, member) = (try context.list("first"), try context.member(2))
    member.list = nil
    member.list = list
    let numbers = list.members.map(\.number)
    try context.save()
    #expect(try scene.numbers() == numbers)
  }

  @Test("both lists keep their order when a member moves from one to the other", arguments: Engine.allCases)
  func elsewhere(_ engine: Engine) throws {
    let scene = try Scene(engine)
    let context = scene.store.context()
    try context.member(2).list = try context.list("second")
    try context.save()
    // The moved member's key is less than those of 6 and 7, so the member may come first in the second list; only the
    // set of members is compared.
    #expect(try scene.numbers() == [4, 5, 1, 3])
    #expect(Set(try scene.numbers("second")) == [2, 6, 7])
  }

  @Test("lists keep their order through random changes and saves", arguments: Engine.sqlite, UInt64(1)...4)
  func random(_ engine: Engine, _ seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    let scene = try Scene(engine)
    let context = scene.store.context()
    // The test retains the objects. Otherwise the context would release them, and read their rows again at the next
    // access.
    let held = (try context.fetch(FetchDescriptor<BroadList>()), try context.fetch(FetchDescriptor<BroadMember>()))
    defer { withExtendedLifetime(held) {} }
    for save in 0..<60 {
      for _ in 0..<Int.random(in: 1...3, using: &random) { try step(context, &random) }
      let expected = try ["first", "second"].map { try context.list($0).members.map(\.number) }
      try context.save()
      let fresh = scene.store.context()
      let stored = try ["first", "second"].map { try fresh.list($0).members.map(\.number) }
      try #require(stored == expected, "after save \(save)")
    }
  }

  private func step(_ context: ModelContext, _ random: inout SeededGenerator) throws {
    let member = try context.member(Int.random(in: 1...7, using: &random))
    let list = try context.list(Bool.random(using: &random) ? "first" : "second")
    switch Int.random(in: 0..<6, using: &random) {
    case 0: member.note += "x"
    case 1: list.members.shuffle(using: &random)
    case 2: list.members.append(member)
    case 3: list.members.insert(member, at: 0)
    case 4: member.p5 += 1
    default:
      member.list = nil
      list.members.append(member)
    }
  }
}

extension ModelContext {
  fileprivate func list(_ name: String) throws -> BroadList {
    try #require(try fetch(FetchDescriptor<BroadList>(predicate: #Predicate { $0.name == name })).first)
  }

  fileprivate func member(_ number: Int) throws -> BroadMember {
    try #require(try fetch(FetchDescriptor<BroadMember>(predicate: #Predicate { $0.number == number })).first)
  }
}
