import SwiftData
import Testing

@Suite("A stored reference to a row that does not exist")
struct DanglingReferenceTests {
  private static let words = "Sample.box of row 1: the column box has the number 99, which is the key of no Hamper"

  @Test("the reference is nil, unreadValues reports its row, column and value, and other properties are readable")
  func optional() throws {
    let store = try TestStore.ofSamples()
    try store.write("UPDATE Sample SET box = 99 WHERE name = 'a'")
    let context = store.context()
    let sample = try context.sample()
    // The context discovers that the row is missing when a property of the related object is read.
    #expect(sample.box?.name != "box")
    #expect(sample.box == nil && sample.count == 41)
    #expect(context.unreadErrors == [Self.words])
    #expect(try context.sample("b").box?.name == "box")
    #expect(try context.all(Hamper.self).first?.samples.map(\.name) == ["b"])
    sample.name = "changed"
    #expect(throws: SwiftDataError.corruptValue) { try context.save() }
    try context.save()
    #expect(try store.raw.rows("SELECT name, box FROM Sample WHERE _osd_key = 1") == [["changed", "99"]])
  }

  @Test("a required reference returns a placeholder, and assigning an existing object repairs the row")
  func required() throws {
    let store = try TestStore.ofSamples()
    try store.write("UPDATE Lid SET box = 99")
    let context = store.context()
    let lid = try #require(try context.all(Lid.self).first)
    _ = lid.box.name
    #expect(lid.box.isDeleted && lid.name == "lid")
    #expect(
      context.unreadErrors.first?.contains("the column box has the number 99, which is the key of no Hamper") == true)
    let box = try #require(try context.all(Hamper.self).first)
    lid.box = box
    try context.save()
    #expect(try store.context().all(Lid.self).first?.box.name == "box")
    #expect(context.unreadValues.isEmpty)
  }

  @Test(
    "the first read reports every registered object with the reference, and later reads report objects fetched later")
  func several() throws {
    let store = try TestStore.ofSamples()
    try store.write("UPDATE Sample SET box = 99")
    let context = store.context()
    let samples = try context.all(Sample.self)
    _ = samples[0].box?.name
    #expect(context.unreadValues.count == 2)
    #expect(samples.allSatisfy { $0.box == nil })
    let writer = store.context()
    writer.insert(Sample("c"))
    try writer.save()
    try store.write("UPDATE Sample SET box = 99")
    let third = try context.sample("c")
    #expect(third.box == nil && context.unreadValues.count == 3)
  }

  @Test("setting the relationship at either end repairs the reference", arguments: [true, false])
  func mended(_ fromHere: Bool) throws {
    let store = try TestStore.ofSamples()
    try store.write("UPDATE Sample SET box = 99 WHERE name = 'a'")
    let context = store.context()
    let sample = try context.sample()
    _ = sample.box?.name
    let box = try #require(try context.all(Hamper.self).first)
    if fromHere { sample.box = box } else { box.samples.append(sample) }
    #expect(context.unreadValues.isEmpty)
    try context.save()
    #expect(try store.context().sample().box?.name == "box")
  }

  @Test("once another program inserts the missing row, the reference returns its object")
  func arrives() throws {
    let store = try TestStore.ofSamples()
    try store.write("UPDATE Sample SET box = 99 WHERE name = 'a'")
    let context = store.context()
    let sample = try context.sample()
    _ = sample.box?.name
    #expect(sample.box == nil)
    try store.write("INSERT INTO Hamper (_osd_key, name) VALUES (99, 'late')")
    #expect(sample.box?.name == "late")
    #expect(context.unreadValues.isEmpty)
    sample.box?.name = "changed"
    try context.save()
    #expect(try store.raw.column("SELECT name FROM Hamper WHERE _osd_key = 99") == ["changed"])
  }

  @Test("a reference to an object in memory is unread after another program deletes the object's row")
  func deletion() throws {
    let store = try TestStore.ofSamples()
    let context = store.context()
    let sample = try context.sample()
    let box = try #require(sample.box)
    #expect(box.name == "box")
    try store.write("DELETE FROM Hamper")
    _ = try context.fetchCount(FetchDescriptor<Lid>())
    _ = try context.fetchCount(FetchDescriptor<Lid>())
    #expect(box.isDeleted && box.name == "box")
    #expect(sample.box == nil && sample.count == 41)
    #expect(context.unreadErrors.contains { $0.contains("Sample.box of row 1") })
  }

  @Test("an object with such a reference can be deleted, and a rollback restores the object")
  func ownDeletion() throws {
    let store = try TestStore.ofSamples()
    try store.write("UPDATE Sample SET box = 99", "UPDATE Lid SET box = 99")
    let context = store.context()
    let samples = try context.all(Sample.self)
    context.delete(samples[0])
    context.rollback()
    #expect(!samples[0].isDeleted && samples[0].count == 41)
    for sample in samples { context.delete(sample) }
    for lid in try context.all(Lid.self) { context.delete(lid) }
    try context.save()
    #expect(try store.raw.column("SELECT count(*) FROM Sample") == ["0"])
    #expect(try store.raw.column("SELECT count(*) FROM Lid") == ["0"])
  }

  @Test(
    "a reference whose column contains no valid key is nil or a placeholder, and unreadValues lists it",
    arguments: ["'abc'", "x'6162'", "0"])
  func noKey(_ value: String) throws {
    let store = try TestStore.ofSamples()
    try store.write("UPDATE Sample SET box = \(value) WHERE name = 'a'", "UPDATE Lid SET box = \(value)")
    let context = store.context()
    let sample = try context.sample()
    #expect(sample.box == nil && sample.count == 41)
    #expect(context.unreadErrors.first?.contains("which is no key of a Hamper") == true, "\(context.unreadErrors)")
    let lid = try #require(try context.all(Lid.self).first)
    #expect(lid.box.isDeleted && context.unreadValues.count == 2)
  }

  @Test("a required reference whose column is NULL returns a placeholder, and unreadValues lists it")
  func missing() throws {
    let store = try TestStore.ofSamples()
    try store.loosen("Lid")
    try store.write("UPDATE Lid SET box = NULL")
    let context = store.context()
    let lid = try #require(try context.all(Lid.self).first)
    #expect(context.unreadErrors == ["Lid.box of row 1: the column box has NULL, which is no key of a Hamper"])
    #expect(lid.name == "lid" && lid.box.isDeleted)
    lid.name = "changed"
    #expect(throws: SwiftDataError.corruptValue) { try context.save() }
    try context.save()
    lid.box = try #require(try context.all(Hamper.self).first)
    try context.save()
    #expect(try store.raw.column("SELECT box FROM Lid") == ["1"])
  }

  @Test("a reference to a row of an unknown class, or to a missing row of a class with constants, is nil and is listed")
  func otherClass() throws {
    let store = try TestStore(.file, vehicleModels)
    let context = store.context()
    let truck = Truck("truck", size: 1)
    truck.trailer = Motorcar("car", doors: 3)
    context.insert(truck)
    try context.save()
    let key = try #require(try store.raw.column("SELECT _osd_key FROM Vehicle WHERE name = 'car'").first)
    try store.write("UPDATE Vehicle SET _osd_entity = 'Airship' WHERE name = 'car'")
    let fresh = store.context()
    let found = try #require(try fresh.all(Truck.self).first)
    #expect(found.trailer == nil && found.size == 1)
    #expect(fresh.unreadErrors.contains { $0.contains("has the number \(key), which is the key of no Vehicle") })
    #expect(fresh.unreadErrors.contains { $0.contains("is of the entity 'Airship'") })
    let wearers = try TestStore.ofSamples()
    let writer = wearers.context()
    let wearer = Wearer("w")
    wearer.medal = Medal(code: 1, text: "m")
    writer.insert(wearer)
    try writer.save()
    try wearers.write("DELETE FROM Medal")
    let reader = wearers.context()
    let read = try #require(try reader.all(Wearer.self).first)
    #expect(read.medal == nil && read.name == "w")
    #expect(reader.unreadErrors.first?.contains("which is the key of no Medal") == true)
  }
}
