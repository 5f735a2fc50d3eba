import SwiftData
import Testing

@Model final class IndexedOne {
  #Index<IndexedOne>([\.name])
  #Unique<IndexedOne>([\.name])
  var name: String

  init(name: String) { self.name = name }
}

@Model final class IndexedMany {
  #Unique<IndexedMany>([\.name, \.year], [\.code])
  #Index<IndexedMany>([\.name], [\.year], [\.name, \.year])
  #Index<IndexedMany>([\.kind, \.code])

  enum Kind: String, Codable { case paper, cloth }

  @Attribute(.unique) var number: Int
  var name: String
  var year: Int
  var code: String
  var kind = Kind.paper

  init(number: Int, name: String, year: Int, code: String) {
    self.number = number
    self.name = name
    self.year = year
    self.code = code
  }
}

@Model final class IndexedKinds {
  #Index<IndexedKinds>(.binary([\.name]), .rtree([\.x, \.y]))
  #Unique<IndexedKinds>([\.name, \.x, \.y, \.z])
  var name: String = ""
  var x: Double = 0
  var y: Double = 0
  var z: Double = 0

  init() {}
}

@Model final class AttributedItem {
  @Attribute(.unique) var code: String
  @Attribute(.unique, .preserveValueOnDeletion) var serial: Int
  @Attribute(.externalStorage) var image: Data?
  @Attribute(originalName: "label") var name: String = ""
  @Attribute(.spotlight) var text: String = ""
  @Attribute(.preserveValueOnDeletion) var kept: Int = 1
  @Attribute(.allowsCloudEncryption) var secret: String = "s"
  @Attribute(hashModifier: "2") var modified: Int = 2
  @Attribute var bare: Int = 3
  @Attribute() var empty: Int = 4
  @Attribute(.ephemeral) var fleeting: Int = 5

  init(code: String, serial: Int) {
    self.code = code
    self.serial = serial
  }
}

@Suite("#Index, #Unique and @Attribute")
struct ConstraintTests {
  @Test("A model may have one index and one constraint") func one() throws {
    try roundTrip(IndexedOne(name: "a")) { #expect($0.name == "a") }
    let entity = try #require(Schema([IndexedOne.self]).entity(for: IndexedOne.self))
    #expect(entity.indices == [["name"]])
    #expect(entity.uniquenessConstraints == [["name"]])
  }

  @Test("A model may have several indexes and uniqueness constraints over several properties") func many() throws {
    try roundTrip(IndexedMany(number: 1, name: "a", year: 2, code: "c")) { #expect($0.name == "a" && $0.year == 2) }
    let entity = try #require(Schema([IndexedMany.self]).entity(for: IndexedMany.self))
    #expect(Set(entity.indices) == [["name"], ["year"], ["name", "year"], ["kind", "code"]])
    #expect(Set(entity.uniquenessConstraints) == [["name", "year"], ["code"], ["number"]])
  }

  @Test("An index may be of each kind, and may have four properties") func kinds() throws {
    try roundTrip(IndexedKinds()) { #expect($0.x == 0) }
  }

  @Test("Models that differ in at least one property of a uniqueness constraint are stored separately")
  func different() throws {
    let container = try memoryContainer([IndexedOne.self, IndexedMany.self])
    let context = ModelContext(container)
    for name in ["a", "b"] { context.insert(IndexedOne(name: name)) }
    context.insert(IndexedMany(number: 1, name: "a", year: 1, code: "c"))
    context.insert(IndexedMany(number: 2, name: "a", year: 2, code: "d"))
    context.insert(IndexedMany(number: 3, name: "b", year: 2, code: "e"))
    try context.save()
    let reader = ModelContext(container)
    #expect(try reader.fetch(FetchDescriptor<IndexedOne>()).map(\.name).sorted() == ["a", "b"])
    #expect(try reader.fetch(FetchDescriptor<IndexedMany>()).map(\.number).sorted() == [1, 2, 3])
  }

  @Test("Two models with the same values for a uniqueness constraint are never both stored") func conflict() throws {
    let container = try memoryContainer([IndexedOne.self])
    let context = ModelContext(container)
    context.insert(IndexedOne(name: "a"))
    try context.save()
    context.insert(IndexedOne(name: "a"))
    // The save may throw, or the later model may replace the earlier one. This test accepts both.
    try? context.save()
    #expect(try ModelContext(container).fetch(FetchDescriptor<IndexedOne>()).map(\.name) == ["a"])
  }

  @Test("Every notation of @Attribute compiles") func attributes() throws {
    let item = AttributedItem(code: "a", serial: 7)
    item.image = Data(repeating: 1, count: 300_000)
    item.fleeting = 6
    try roundTrip(item) {
      #expect($0.code == "a")
      #expect($0.serial == 7)
      #expect($0.image?.count == 300_000)
      #expect($0.name == "")
      #expect($0.text == "")
      #expect($0.kept == 1)
      #expect($0.secret == "s")
      #expect($0.modified == 2)
      #expect($0.bare == 3)
      #expect($0.empty == 4)
      #expect($0.fleeting == 5)
    }
  }
}
