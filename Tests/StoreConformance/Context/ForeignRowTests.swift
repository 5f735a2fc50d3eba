import SwiftData
import Testing

/// Programs without the library insert rows by SQL. They do not know the library's sequences of keys.
@Suite("Rows that other programs added")
struct ForeignRowTests {
  private func insert(_ texts: String..., in context: ModelContext) throws {
    for text in texts { context.insert(Stamp(text)) }
    try context.save()
  }

  private func texts(_ store: TestStore) throws -> [String] {
    try store.context().fetch(FetchDescriptor<Stamp>()).map(\.text).sorted()
  }

  /// Inserts a vehicle by SQL.
  private func addVehicle(to store: TestStore) throws {
    try store.raw.run("INSERT INTO Vehicle (name, wheels, _osd_entity) VALUES ('cart', 2, 'Vehicle')")
  }

  @Test("new models get other keys after another program used the next key")
  func nextKey() throws {
    let store = try TestStore(.file, letterModels)
    let context = store.context()
    try insert("a", in: context)
    for round in 0..<3 {
      try store.changeElsewhere("INSERT INTO Stamp (text) VALUES ('other \(round)')")
      try insert("b\(round)", "c\(round)", in: context)
    }
    let expected = ["a"] + (0..<3).flatMap { ["b\($0)", "c\($0)", "other \($0)"] }
    #expect(try texts(store) == expected.sorted())
    #expect(try store.raw.problems() == [])
  }

  @Test("rows that another program inserts may have any key", arguments: [-5, 1 << 40, Int64.min])
  func keys(_ key: Int64) throws {
    let store = try TestStore(.file, letterModels)
    let context = store.context()
    try store.changeElsewhere("INSERT INTO Stamp (_osd_key, text) VALUES (\(key), 'other')")
    try insert("a", "b", in: context)
    #expect(try texts(store) == ["a", "b", "other"])
    let other = try #require(
      try context.fetch(FetchDescriptor<Stamp>(predicate: #Predicate { $0.text == "other" })).first)
    other.text = "changed"
    try context.save()
    #expect(try texts(store) == ["a", "b", "changed"])
  }

  @Test("a save throws a descriptive error if a row has the greatest key, and succeeds after that row is deleted")
  func lastKey() throws {
    let store = try TestStore(.file, letterModels)
    let context = store.context()
    try insert("a", in: context)
    try store.changeElsewhere("INSERT INTO Stamp (_osd_key, text) VALUES (9223372036854775807, 'last')")
    context.insert(Stamp("b"))
    let error = #expect(throws: SwiftDataError.storeFull) { try context.save() }
    #expect(error?.explanation?.contains("Stamp has used up all primary keys") == true)
    #expect(context.hasChanges)
    try store.changeElsewhere("DELETE FROM Stamp WHERE text = 'last'")
    try context.save()
    #expect(try texts(store) == ["a", "b"])
  }

  @Test("saves in a hierarchy skip the key of another program's row, regardless of the row's class")
  func hierarchy() throws {
    let store = try TestStore(.file, vehicleModels)
    let context = store.context()
    context.insert(Motorcar("car", doors: 4))
    try context.save()
    try addVehicle(to: store)
    context.insert(Motorcar("second", doors: 2))
    context.insert(Vehicle("third"))
    try context.save()
    let names = try store.context().fetch(FetchDescriptor<Vehicle>()).map(\.name).sorted()
    #expect(names == ["car", "cart", "second", "third"])
  }

  @Test("many-to-many relationships keep join rows that another program added")
  func pairs() throws {
    let store = try TestStore(.file, graphModels)
    let context = store.context()
    let student = Student("s")
    let courses = ["a", "b", "c"].map { Course($0) }
    context.insert(student)
    courses.forEach(context.insert)
    student.courses = [courses[0]]
    try context.save()
    let link = try #require(
      try store.raw.column("SELECT name FROM sqlite_master WHERE type = 'table' AND name LIKE '_osd_link_%ourse%'")
        .first)
    let pair = try #require(try store.raw.rows("SELECT owner, target FROM \"\(link)\"").first)
    let isOwner = link.contains("Student")
    let second = try #require(try store.stored("SELECT _osd_key FROM Course WHERE name = 'b'").first)
    let (owner, target) = isOwner ? (pair[0] ?? "", second) : (second, pair[1] ?? "")
    try store.changeElsewhere("INSERT INTO \"\(link)\" (owner, target) VALUES (\(owner), \(target))")
    student.courses.append(courses[2])
    try context.save()
    let stored = try #require(try store.context().fetch(FetchDescriptor<Student>()).first)
    #expect(stored.courses.map(\.name).sorted() == ["a", "b", "c"])
  }

  @Test("a transaction may save several times, with another program's rows before and after")
  func transaction() throws {
    let store = try TestStore(.file, letterModels)
    let context = store.context()
    try insert("a", in: context)
    try store.changeElsewhere("INSERT INTO Stamp (text) VALUES ('other')")
    try context.transaction {
      for index in 0..<3 {
        context.insert(Stamp("b\(index)"))
        try context.save()
      }
    }
    try store.changeElsewhere("INSERT INTO Stamp (text) VALUES ('another')")
    try insert("c", in: context)
    #expect(try texts(store) == ["a", "another", "b0", "b1", "b2", "c", "other"])
  }

  @Test("undo restores a deleted row with another key if another program's row has its key")
  func undo() throws {
    let store = try TestStore(.file, letterModels)
    let context = store.context()
    context.undoManager = UndoManager()
    try insert("a", in: context)
    let stamp = try #require(try context.fetch(FetchDescriptor<Stamp>()).first)
    context.processPendingChanges()
    context.delete(stamp)
    try context.save()
    // The deleted row was the last one, so SQLite assigns its key to the new row.
    try store.changeElsewhere("INSERT INTO Stamp (text) VALUES ('other')")
    context.undoManager?.undo()
    try context.save()
    #expect(try texts(store) == ["a", "other"])
  }

  @Test("undo in a hierarchy restores a deleted row with another key if a row of another class has its key")
  func undoInHierarchy() throws {
    let store = try TestStore(.file, vehicleModels)
    let context = store.context()
    context.undoManager = UndoManager()
    let car = Motorcar("car", doors: 4)
    context.insert(car)
    try context.save()
    context.processPendingChanges()
    context.delete(car)
    try context.save()
    try addVehicle(to: store)
    context.undoManager?.undo()
    try context.save()
    let names = try store.context().fetch(FetchDescriptor<Vehicle>()).map(\.name).sorted()
    #expect(names == ["car", "cart"])
  }

  @Test("a program and a context that insert concurrently lose no row")
  func together() throws {
    let store = try TestStore(.file, letterModels)
    let context = store.context()
    let script = """
      import sqlite3, sys
      c = sqlite3.connect(sys.argv[1], isolation_level=None, timeout=60)
      print('ready')
      for i in range(200): c.execute("INSERT INTO Stamp (text) VALUES ('other')")
      """
    let process = try PythonProcess(script, arguments: [store.configuration.url.path])
    for index in 0..<100 { try insert("a\(index)", "b\(index)", in: context) }
    #expect(process.finish() == 0)
    let all = try texts(store)
    #expect(all.count == 400 && Set(all).count == 201)
  }

  @Test("the object of a deleted row is marked as deleted when a new row gets its key")
  func keyOfAnotherRow() throws {
    let store = try TestStore(.file, letterModels)
    let context = store.context()
    try insert("a", in: context)
    try store.changeElsewhere("INSERT INTO Stamp (text) VALUES ('other')")
    let all = try context.fetch(FetchDescriptor<Stamp>(sortBy: [SortDescriptor(\.text)]))
    let other = try #require(all.last)
    let flag = changeFlag { #expect(other.text == "other") }
    try store.changeElsewhere("DELETE FROM Stamp WHERE text = 'other'")
    let new = Stamp("new")
    context.insert(new)
    try context.save()
    #expect(other.isDeleted && flag.isRaised && !new.isDeleted)
    #expect(!all[0].isDeleted && !context.hasChanges)
    new.text = "changed"
    try context.save()
    #expect(try texts(store) == ["a", "changed"])
    #expect(try context.fetch(FetchDescriptor<Stamp>()).contains { $0 === new })
  }

  @Test(
    "an object is marked as deleted when its row changes to another class",
    arguments: [
      ("Actros", "Bicycle"), ("Testarossa", "Vehicle"), ("Cart", "Bicycle"), ("Testarossa", "Motorcar"),
    ])
  func rowOfAnotherClass(_ name: String, _ entity: String) throws {
    let store = try TestStore(.file, vehicleModels)
    let context = try store.saveVehicles()
    let vehicles = try context.fetch(FetchDescriptor<Vehicle>())
    let former = try #require(vehicles.first { $0.name == name })
    let flag = changeFlag { _ = former.wheels }
    try store.raw.run("UPDATE Vehicle SET _osd_entity = '\(entity)' WHERE name = '\(name)'")
    let found = try #require(try context.fetch(FetchDescriptor<Vehicle>()).first { $0.name == name })
    #expect(found !== former && "\(type(of: found))" == entity && !found.isDeleted)
    #expect(former.isDeleted && flag.isRaised)
    #expect(vehicles.allSatisfy { $0 === former || !$0.isDeleted })
    #expect(try context.fetch(FetchDescriptor<Vehicle>()).contains { $0 === found })
  }
}
