import ConformanceSupport
import SwiftData
import Testing

/// Kinds of damage that a random test or an analysis found once, and that the library handles since then.
@Suite("Regressions: damaged stores")
struct FoundDamageTests {
  private func ledger(keys: [String]) throws -> DamagedFile {
    let file = try DamagedFile(LedgerV1.models)
    try file.fill { context in
      for (index, key) in keys.enumerated() { context.insert(LedgerV1.Entry(key, index)) }
    }
    for key in keys { try file.damage("UPDATE Entry SET _osd_key = \(key) WHERE name = '\(key)'") }
    return file
  }

  @Test(
    "Rows with the smallest and the greatest possible key can be migrated",
    arguments: [
      ["-9223372036854775808", "5", "9223372036854775807"], ["-9223372036854775808"], ["9223372036854775807"],
    ])
  func extremeKeys(_ keys: [String]) throws {
    let file = try ledger(keys: keys)
    let entries = try file.context(LedgerV2.models).fetch(FetchDescriptor<LedgerV2.Entry>())
    #expect(Set(entries.map(\.name)) == Set(keys))
    #expect(Set(entries.map(\.token)).count == keys.count)
    #expect(Set(entries.map(\.amount)) == Set(keys.indices.map(Double.init)))
  }

  @Test("A stored schema with a cycle of inheritance throws a descriptive error")
  func inheritanceCycle() throws {
    let file = try DamagedFile([Animal.self, Dog.self])
    try file.fill { $0.insert(Dog("d")) }
    try file.damageSchema { entities in
      for index in entities.indices where entities[index]["name"] as? String == "Animal" {
        entities[index]["superentity"] = "Dog"
      }
    }
    let error = #expect(throws: SwiftDataError.corruptValue) { try file.context() }
    #expect(error?.explanation?.contains("inherits from itself") == true)
  }

  @Test("A stored schema with a duplicate entity throws a descriptive error")
  func duplicateEntity() throws {
    let file = try DamagedFile([Keeper.self, Animal.self, Dog.self])
    try file.fill { $0.insert(Dog("d")) }
    try file.damageSchema { $0 += $0 }
    #expect(throws: SwiftDataError.corruptValue) { try file.context() }
  }

  @Test("A recorded attribute type with 20,000 nested arrays makes opening the store throw `unknownSchema`")
  func deepType() throws {
    let file = try DamagedFile([Animal.self, Dog.self])
    try file.fill { $0.insert(Dog("d")) }
    let name = String(repeating: "Array<", count: 20_000) + "Int" + String(repeating: ">", count: 20_000)
    try file.damageSchema { entities in
      for index in entities.indices {
        var attributes = entities[index]["attributes"] as? [[String: Any]] ?? []
        for place in attributes.indices { attributes[place]["type"] = ["name": name] }
        entities[index]["attributes"] = attributes
      }
    }
    #expect(throws: SwiftDataError.unknownSchema) { try file.context() }
  }

  @Test(
    "An invalid next key in the sequence table is ignored when a row is inserted",
    arguments: ["0", "-5", "'x'", "-9223372036854775808"])
  func sequence(_ number: String) throws {
    let file = try DamagedFile([Animal.self, Dog.self])
    try file.fill { $0.insert(Dog("first")) }
    try file.damage("UPDATE _osd_sequence SET next = \(number)")
    try file.fill { $0.insert(Dog("second")) }
    let names = try file.context().fetch(FetchDescriptor<Animal>()).map(\.name)
    #expect(names.sorted() == ["first", "second"])
  }

  @Test(
    "An invalid file number throws, and its file is not treated as a file of a killed process",
    arguments: ["0", "-9223372036854775808", "'x'"])
  func fileNumber(_ number: String) throws {
    let file = try DamagedFile([Keeper.self, Animal.self, Dog.self])
    let portrait = Data(repeating: 1, count: 200_000)
    try file.fill { context in
      let keeper = Keeper("k")
      context.insert(keeper)
      keeper.portrait = portrait
    }
    try file.damage("UPDATE _osd_sequence SET next = \(number)")
    #expect(throws: SwiftDataError.storeCorrupt) { try file.fill { $0.insert(Keeper("other")) } }
    #expect(try file.context().fetch(FetchDescriptor<Keeper>()).map(\.portrait) == [portrait])
  }

  @Test("A save that needs another external file throws if the store already uses the greatest file number")
  func lastFileNumber() throws {
    let file = try DamagedFile([Keeper.self, Animal.self, Dog.self])
    func insert(into context: ModelContext) {
      let keeper = Keeper("k")
      context.insert(keeper)
      keeper.portrait = Data(repeating: 1, count: 200_000)
    }
    try file.fill(insert)
    try file.damage("UPDATE _osd_sequence SET next = 9223372036854775807 WHERE entity = 'external files'")
    #expect(throws: SwiftDataError.storeFull) { try file.fill(insert) }
    #expect(try file.context().fetchCount(FetchDescriptor<Keeper>()) == 1)
  }

  @Test("Reading a value does not block if its external file was replaced by a named pipe")
  func pipe() throws {
    let file = try DamagedFile([Keeper.self, Animal.self, Dog.self])
    try file.fill { context in
      let keeper = Keeper("k")
      context.insert(keeper)
      keeper.portrait = Data(repeating: 1, count: 200_000)
    }
    let value = file.url.path + "_external/1"
    try FileManager.default.removeItem(atPath: value)
    try #require(mkfifo(value, 0o600) == 0)
    let keeper = try #require(try file.context().fetch(FetchDescriptor<Keeper>()).first)
    #expect(keeper.portrait == nil)
  }

  @Test("A row whose class was changed in the file is not read into the registered object of its former class")
  func changedClass() throws {
    let file = try DamagedFile([Keeper.self, Animal.self, Dog.self, Cat.self])
    try file.fill { context in
      let dog = Dog("d")
      dog.tricks = ["sit"]
      context.insert(dog)
    }
    let context = try file.context()
    let dog = try #require(try context.fetch(FetchDescriptor<Dog>()).first)
    try file.damage("UPDATE Animal SET _osd_entity = 'Cat', lives = 3")
    let cats = try? context.fetch(FetchDescriptor<Cat>())
    #expect(cats?.allSatisfy { ($0 as AnyObject) is Cat && $0.lives == 3 } != false)
    #expect((try? context.fetch(FetchDescriptor<Animal>()))?.allSatisfy { $0.name == "d" } != false)
    #expect(dog.tricks == ["sit"])
    let identifier = dog.persistentModelID
    let found: Cat? = context.registeredModel(for: identifier)
    #expect(found == nil || (found as AnyObject?) is Cat)
  }
}
