import ConformanceSupport
import SwiftData
import Testing

// Tests those lightweight changes in the table of docs/evolving-a-schema.md that no other suite tests.

private enum Alone {
  @Model final class Trip {
    @Attribute(.unique) var name: String
    var days: Int = 3
    init(_ name: String) { self.name = name }
  }
}

private enum Guided {
  @Model final class Trip {
    #Index<Trip>([\.days])
    var name: String?
    var days: Int = 5
    var guide: Guide?
    @Relationship(inverse: nil) var others: [Guide] = []
    init(_ name: String) { self.name = name }
  }
  @Model final class Guide {
    var name: String
    init(_ name: String) { self.name = name }
  }
}

@Suite("Lightweight changes of entities, options and defaults")
struct EntityChangeTests {
  @Test("a migration adds an entity, relationships and an attribute; existing rows get the attribute's default")
  func entities() throws {
    let store = try MigratedStore()
    try store.use([Alone.Trip.self]) { $0.insert(Alone.Trip("Oslo")) }
    try store.migrate(to: [Guided.Trip.self]) { context in
      let trip = try #require(try context.fetch(FetchDescriptor<Guided.Trip>()).first)
      #expect(trip.name == "Oslo" && trip.days == 3 && trip.guide == nil && trip.others == [])
      trip.guide = Guided.Guide("Ida")
      trip.others = [Guided.Guide("Eva"), Guided.Guide("Ann")]
      let second = Guided.Trip("Oslo")
      context.insert(second)
      try context.save()
      #expect(second.days == 5)
      second.name = "Rome"
    }
    // Migrating back is rejected: the name becomes required and has no default, so the migration plan would need a
    // stage that replaces nil names.
    #expect("\(try store.refusal(of: [Alone.Trip.self]))".contains("Trip.name: It became required"))
  }

  @Test("a migration removes an entity and all references to it, and keeps the rows that referred to it")
  func removedEntity() throws {
    let store = try MigratedStore()
    try store.use([Guided.Trip.self]) { context in
      let trip = Guided.Trip("Oslo")
      context.insert(trip)
      trip.guide = Guided.Guide("Ida")
      trip.others = [Guided.Guide("Eva")]
    }
    try store.migrate(to: [Unguided.Trip.self]) { context in
      let trips = try context.fetch(FetchDescriptor<Unguided.Trip>())
      #expect(trips.map(\.name) == ["Oslo"] && trips.map(\.days) == [5])
    }
    #expect(try store.contents().tables.filter { !$0.hasPrefix("_osd") } == ["Trip"])
  }
}

private enum Unguided {
  @Model final class Trip {
    var name: String?
    var days: Int = 7
    init(_ name: String) { self.name = name }
  }
}

private enum Narrow {
  @Model final class Numbers {
    var int8: Int8
    var int16: Int16
    var int32: Int32
    var word8: UInt8
    var word16: UInt16
    var word32: UInt32
    var word64: UInt64
    var float: Float
    var maybe: Int8?
    init(_ isGreatest: Bool) {
      int8 = isGreatest ? .max : .min
      int16 = isGreatest ? .max : .min
      int32 = isGreatest ? .max : .min
      word8 = isGreatest ? .max : .min
      word16 = isGreatest ? .max : .min
      word32 = isGreatest ? .max : .min
      word64 = isGreatest ? .max : .min
      float = isGreatest ? .greatestFiniteMagnitude : -.leastNonzeroMagnitude
      maybe = isGreatest ? .max : nil
    }
  }
}

private enum Wide {
  @Model final class Numbers {
    var int8: Int16
    var int16: Int32
    var int32: Double
    var word8: Int16
    var word16: UInt32
    var word32: Int
    var word64: Decimal
    var float: Double
    var maybe: Double?
    init() {
      (int8, int16, int32, word8, word16, word32, word64, float) = (0, 0, 0, 0, 0, 0, 0, 0)
    }
  }
}

@Suite("Lightweight widening of numbers")
struct WideningTests {
  @Test("the least and the greatest value of every numeric type stay the same in a wider type")
  func extremes() throws {
    let store = try MigratedStore()
    try store.use([Narrow.Numbers.self]) { context in
      context.insert(Narrow.Numbers(false))
      context.insert(Narrow.Numbers(true))
    }
    try store.migrate(to: [Wide.Numbers.self]) { context in
      let (least, greatest) = try #require(
        try context.fetch(FetchDescriptor<Wide.Numbers>(sortBy: [SortDescriptor(\.int8)])).pair)
      #expect(least.int8 == -128 && least.int16 == -32768 && least.int32 == -2_147_483_648)
      #expect(least.word8 == 0 && least.word16 == 0 && least.word32 == 0 && least.word64 == 0)
      #expect(least.float == Double(-Float.leastNonzeroMagnitude) && least.maybe == nil)
      #expect(greatest.int8 == 127 && greatest.int16 == 32767 && greatest.int32 == 2_147_483_647)
      #expect(greatest.word8 == 255 && greatest.word16 == 65535 && greatest.word32 == 4_294_967_295)
      #expect(greatest.word64 == Decimal(UInt64.max) && greatest.maybe == 127)
      #expect(greatest.float == Double(Float.greatestFiniteMagnitude))
    }
  }
}

extension Array {
  fileprivate var pair: (Element, Element)? { count == 2 ? (self[0], self[1]) : nil }
}

private enum Enums {
  enum Mood: String, Codable { case calm, wild }
  enum Grade: Int, Codable {
    case low = 1
    case high = 9
  }
  @Model final class Trip {
    var mood: Mood
    var grade: Grade?
    var feeling: Mood?
    init() { (mood, grade, feeling) = (.wild, .high, .calm) }
  }
}

private enum OtherEnums {
  enum Feeling: String, Codable { case calm, wild, new }
  @Model final class Trip {
    var mood: Feeling
    var grade: Int?
    var feeling: String?
    init() { mood = .new }
  }
}

@Suite("Lightweight changes of enums")
struct EnumMigrationTests {
  @Test("a migration replaces an enum by a renamed enum or by its raw type")
  func enums() throws {
    let store = try MigratedStore()
    try store.use([Enums.Trip.self]) { $0.insert(Enums.Trip()) }
    try store.migrate(to: [OtherEnums.Trip.self]) { context in
      let trip = try #require(try context.fetch(FetchDescriptor<OtherEnums.Trip>()).first)
      #expect(trip.mood == .wild && trip.grade == 9 && trip.feeling == "calm")
    }
  }
}

private enum Loose {
  @Model final class Entry {
    var a: Int
    var b: Int
    var c: Int
    var createdat: Int16?
    var identifier: UUID?
    init(_ value: Int) { (a, b, c, createdat) = (value, value + 1, value + 2, Int16(value)) }
  }
}

private enum Tight {
  @Model final class Entry {
    #Unique<Entry>([\.b])
    @Attribute(originalName: "c") var a: Int
    @Attribute(originalName: "a") var b: Int
    @Attribute(originalName: "b") var c: Int
    // The names differ only in the case of one letter, which the database ignores.
    @Attribute(originalName: "createdat") var createdAt: Int = -1
    @Attribute(.unique) var identifier: UUID = UUID()
    init() { (a, b, c) = (0, 0, 0) }
  }
}

@Suite("Several changes at once")
struct CombinedChangeTests {
  @Test(
    "three attributes exchange names, one changes its case, type and optionality, and constraints use the new names")
  func combined() throws {
    let store = try MigratedStore()
    let known = UUID()
    try store.use([Loose.Entry.self]) { context in
      for value in [10, 20, 30] { context.insert(Loose.Entry(value)) }
      let entry = Loose.Entry(40)
      context.insert(entry)
      (entry.createdat, entry.identifier) = (nil, known)
    }
    try store.migrate(to: [Tight.Entry.self]) { context in
      let entries = try context.fetch(FetchDescriptor<Tight.Entry>(sortBy: [SortDescriptor(\.b)]))
      #expect(entries.map(\.a) == [12, 22, 32, 42] && entries.map(\.b) == [10, 20, 30, 40])
      #expect(entries.map(\.c) == [11, 21, 31, 41] && entries.map(\.createdAt) == [10, 20, 30, -1])
      // The default of `identifier` is computed for each row, so the rows without a value get different values.
      #expect(Set(entries.map(\.identifier)).count == 4 && entries[3].identifier == known)
    }
  }
}
