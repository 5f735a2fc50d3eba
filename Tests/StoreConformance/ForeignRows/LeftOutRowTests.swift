import SwiftData
import Testing

@Suite("Rows of other programs that are skipped in fetches or lists")
struct LeftOutRowTests {
  @Test(
    "a row with the key 0 is skipped and listed, and rows with other unusual keys are read", arguments: [-5, 1 << 40])
  func keys(_ key: Int) throws {
    let store = try TestStore.ofSamples()
    try store.write(
      "INSERT INTO Hamper (_osd_key, name) VALUES (0, 'zero')",
      "INSERT INTO Hamper (_osd_key, name) VALUES (\(key), 'other')",
      "UPDATE Sample SET box = \(key) WHERE name = 'a'")
    let context = store.context()
    #expect(Set(try context.all(Hamper.self).map(\.name)) == ["box", "other"])
    #expect(context.unreadErrors.count == 1 && context.unreadValues[0].propertyName == nil)
    #expect(context.unreadErrors[0].contains("a row of Hamper is left out: its primary key is the number 0"))
    let other = try #require(try context.sample().box)
    #expect(other.name == "other" && other.samples.map(\.name) == ["a"])
    other.name = "changed"
    try context.save()
    #expect(try store.raw.column("SELECT name FROM Hamper WHERE _osd_key = \(key)") == ["changed"])
    try store.write("DELETE FROM Hamper WHERE _osd_key = 0")
    _ = try context.all(Hamper.self)
    #expect(context.unreadValues.isEmpty)
  }

  @Test("a row with the key 0 is also skipped in identifiers and batches")
  func keyZero() throws {
    let store = try TestStore.ofSamples()
    try store.write("INSERT INTO Hamper (_osd_key, name) VALUES (0, 'zero')")
    let context = store.context()
    let identifiers = try context.fetchIdentifiers(FetchDescriptor<Hamper>(sortBy: [SortDescriptor(\.name)]))
    #expect(identifiers.compactMap { (context.model(for: $0) as? Hamper)?.name } == ["box"])
    #expect(identifiers.count == 1)
    var names: [String] = []
    try context.enumerate(FetchDescriptor<Hamper>(), batchSize: 1) { names.append($0.name) }
    #expect(names == ["box"])
    #expect(try context.fetch(FetchDescriptor<Hamper>(), batchSize: 1).map(\.name) == ["box"])
    #expect(try context.fetch(FetchDescriptor<Hamper>(predicate: #Predicate { $0.name == "zero" })) == [])
    try context.delete(model: Hamper.self, where: #Predicate { $0.name == "zero" })
    try context.save()
    #expect(try context.all(Hamper.self).map(\.name) == ["box"])
  }

  @Test("a row of a class without a model is skipped and listed")
  func unknownClass() throws {
    let store = try TestStore(.file, vehicleModels)
    let context = store.context()
    context.insert(Motorcar("car", doors: 3))
    context.insert(Truck("truck", size: 1))
    try context.save()
    try store.write("UPDATE Vehicle SET _osd_entity = 'Airship' WHERE name = 'car'")
    let fresh = store.context()
    #expect(try fresh.all(Vehicle.self).map(\.name) == ["truck"])
    #expect(try fresh.fetchIdentifiers(FetchDescriptor<Vehicle>()).count == 1)
    #expect(fresh.unreadErrors.count == 1)
    #expect(fresh.unreadErrors[0].contains("is of the entity 'Airship', which the schema does not have"))
    try fresh.all(Truck.self).first?.size = 2
    try fresh.save()
    try store.write("UPDATE Vehicle SET _osd_entity = 'Motorcar' WHERE name = 'car'")
    #expect(try fresh.all(Vehicle.self).count == 2)
    #expect(fresh.unreadValues.isEmpty)
  }

  @Test(
    "a position column's value that is not a number is treated as no position", arguments: ["NULL", "'first'", "x'01'"])
  func positions(_ value: String) throws {
    let store = try TestStore.ofSamples()
    let writer = store.context()
    let box = try #require(try writer.all(Hamper.self).first)
    box.samples = [try writer.sample("b"), try writer.sample("a")]
    try writer.save()
    let column = try #require(
      try store.raw.rows("PRAGMA table_info(Sample)").compactMap { $0[1] }.first { $0.contains("position") })
    #expect(try store.context().all(Hamper.self).first?.samples.map(\.name) == ["b", "a"])
    try store.write("UPDATE Sample SET \"\(column)\" = \(value)")
    let context = store.context()
    let found = try #require(try context.all(Hamper.self).first)
    #expect(found.samples.map(\.name) == ["a", "b"])
    found.samples = found.samples.reversed()
    try context.save()
    #expect(try store.context().all(Hamper.self).first?.samples.map(\.name) == ["b", "a"])
  }

  private func link(_ store: TestStore) throws -> String {
    try #require(
      try store.raw.column("SELECT name FROM sqlite_master WHERE type = 'table' AND name LIKE '_osd_link_%'").first)
  }

  @Test("lists omit many-to-many pairs whose rows are missing")
  func pairs() throws {
    let store = try TestStore.ofSamples()
    let writer = store.context()
    let box = try #require(try writer.all(Hamper.self).first)
    box.marks = [SampleMark("x"), SampleMark("y")]
    try writer.save()
    let link = try link(store)
    try store.write(
      "DELETE FROM SampleMark WHERE name = 'x'", "INSERT INTO \"\(link)\" (owner, target) VALUES (77, 78)")
    let context = store.context()
    let found = try #require(try context.all(Hamper.self).first)
    #expect(found.marks.map(\.name) == ["y"])
    found.marks.append(SampleMark("z"))
    try context.save()
    #expect(try store.context().all(Hamper.self).first?.marks.map(\.name) == ["y", "z"])
    #expect(try context.all(SampleMark.self).first { $0.name == "y" }?.boxes.count == 1)
  }

  @Test("valid rows that a Python program writes, with and without keys, are usable immediately")
  func python() throws {
    let store = try TestStore.ofSamples()
    let context = store.context()
    let sample = try context.sample()
    let script = """
      import sqlite3, sys
      c = sqlite3.connect(sys.argv[1])
      box = c.execute("INSERT INTO Hamper (name) VALUES ('e\\u0301')").lastrowid
      columns = "name, count, mood, tags, spot_city, spot_zip, made, bytes, box"
      def insert(key, *values):
        marks = ", ".join("?" * len(values))
        if key is None: c.execute(f"INSERT INTO Sample ({columns}) VALUES ({marks})", values)
        else: c.execute(f"INSERT INTO Sample (_osd_key, {columns}) VALUES ({key}, {marks})", values)
      insert(None, "new", 7, "glad", "[\\"p\\"]", "Bonn", 3, 12.5, b"xy", box)
      insert(-9, "keyed", 8, "calm", "[]", "Rome", 4, 0.0, b"", box)
      insert(None, "wrong", "seven", "blue", "{", "Paris", "x", "noon", b"z", 4711)
      c.execute("UPDATE Sample SET count = 100 WHERE name = 'a'")
      c.execute("DELETE FROM Sample WHERE name = 'b'")
      c.commit()
      print("done")
      """
    #expect(try PythonProcess.run(script, arguments: [store.configuration.url.path]) == 0)
    let all = try context.fetch(FetchDescriptor<Sample>(sortBy: [SortDescriptor(\.name)]))
    #expect(all.map(\.name) == ["a", "keyed", "new", "wrong"] && sample.count == 100)
    #expect(all[2].count == 7 && all[2].mood == .glad && all[2].tags == ["p"] && all[2].bytes == Data("xy".utf8))
    #expect(all[1].spot == Spot(city: "Rome", zip: 4) && all[1].bytes.isEmpty)
    let box = try #require(all[2].box)
    #expect(box.samples.map(\.name).sorted() == ["keyed", "new"] && box.name == "e\u{301}")
    let wrong = all[3]
    #expect(Set(context.unreadValues.compactMap(\.propertyName)) == ["count", "mood", "tags", "spot", "made", "box"])
    #expect(wrong.box == nil && wrong.bytes == Data("z".utf8))
    #expect(context.unreadValues.count == 6)
    all[2].count += 1
    all[1].box = nil
    context.insert(Sample("ours", box: box))
    try context.save()
    let names = try store.context().fetch(FetchDescriptor<Sample>(sortBy: [SortDescriptor(\.count)])).map(\.name)
    #expect(Set(names) == ["a", "keyed", "new", "wrong", "ours"])
    #expect(try store.raw.rows("SELECT count, box FROM Sample WHERE name = 'wrong'") == [["seven", "4711"]])
  }
}
