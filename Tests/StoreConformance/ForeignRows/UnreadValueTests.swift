import SwiftData
import Testing

/// An invalid value for a column, and the text that the error must contain.
struct WrongValue: CustomTestStringConvertible {
  let property: String
  var column: String?
  let sql: String
  let words: String

  var testDescription: String { "\(sql) in \(column ?? property)" }

  static let all = [
    WrongValue(property: "count", sql: "'many'", words: "has the text 'many', which is no Int"),
    WrongValue(property: "count", sql: "x'6162'", words: "has the bytes x'6162' (2 in all), which is no Int"),
    WrongValue(property: "count", sql: "0.5", words: "has the number 0.5, which is no Int"),
    WrongValue(property: "level", sql: "'high'", words: "has the text 'high', which is no Int"),
    WrongValue(property: "mood", sql: "'angry'", words: "has the text 'angry', which is no raw value of Tint"),
    WrongValue(property: "otherMood", sql: "'sad'", words: "has the text 'sad', which is no raw value of Tint"),
    WrongValue(property: "tags", sql: "'garbage'", words: "has the text 'garbage', which is no JSON of Array<String>"),
    WrongValue(property: "spot", column: "spot_zip", sql: "'here'", words: "has the text 'here', which is no Int"),
    WrongValue(property: "made", sql: "'2024-05-01'", words: "has the text '2024-05-01', which is no Date"),
    WrongValue(property: "token", sql: "'7'", words: "which is no UUID"),
  ]
}

@Suite("A stored value that does not fit its property's type, such as a text in an integer column")
struct UnreadValueTests {
  private func expectRest(of sample: Sample, besides property: String, at location: SourceLocation = #_sourceLocation) {
    let isRight = [
      "count": sample.count == 41, "level": sample.level == 1, "mood": sample.mood == .calm,
      "otherMood": sample.otherMood == nil, "tags": sample.tags == ["a"],
      "spot": sample.spot == Spot(city: "Oslo", zip: 1), "spare": sample.spare == nil,
      "made": sample.made == Date(timeIntervalSinceReferenceDate: 1_000_000), "bytes": sample.bytes == Data([1]),
      "token": sample.token == nil, "box": sample.box?.name == "box", "name": sample.name == "a",
    ]
    let wrong = isRight.filter { $0.key != property && !$0.value }.keys.sorted()
    #expect(wrong == [], sourceLocation: location)
  }

  @Test(
    "only the property with the value is unread, and its error names the row, the column and the value",
    arguments: WrongValue.all)
  func kinds(_ value: WrongValue) throws {
    let store = try TestStore.ofSamples()
    let column = value.column ?? value.property
    try store.write("UPDATE Sample SET \(column) = \(value.sql) WHERE name = 'a'")
    let context = store.context()
    let samples = try context.fetch(FetchDescriptor<Sample>(sortBy: [SortDescriptor(\.name)]))
    #expect(samples.map(\.name) == ["a", "b"])
    let unread = try #require(context.unreadValues.first)
    #expect(context.unreadValues.count == 1)
    #expect(unread.entityName == "Sample" && unread.propertyName == value.property)
    #expect(unread.persistentModelID == samples[0].persistentModelID)
    #expect(unread.error == .corruptValue)
    let text = unread.error.explanation ?? ""
    #expect(text.hasPrefix("Sample.\(value.property) of row 1: the column \(column) "), "\(text)")
    #expect(text.contains(value.words), "\(text)")
    expectRest(of: samples[0], besides: value.property)
    #expect(samples[1].count == 42 && samples[1].tags == ["a"] && samples[1].mood == .calm)
    samples[1].count = 43
    samples[0].name = "changed"
    if value.property != "name" { _ = try? context.save() }
    try context.save()
    let stored = try store.raw.rows("SELECT name, count FROM Sample ORDER BY _osd_key")
    #expect(stored.map { $0[0] } == ["changed", "b"] && stored[1][1] == "43")
    #expect(try store.raw.column("SELECT \(column) = \(value.sql) FROM Sample WHERE name = 'changed'") == ["1"])
  }

  @Test(
    "unreadValues lists NULL in the column of a non-optional property, with row and column",
    arguments: ["name", "count", "mood", "tags", "spot_city", "spot_zip", "made", "bytes"])
  func missing(_ column: String) throws {
    let store = try TestStore.ofSamples()
    try store.loosen("Sample")
    try store.write("UPDATE Sample SET \(column) = NULL WHERE _osd_key = 1")
    let context = store.context()
    let samples = try context.fetch(FetchDescriptor<Sample>(sortBy: [SortDescriptor(\.persistentModelID)]))
    #expect(samples.count == 2 && samples[1].name == "b")
    #expect(context.unreadErrors.count == 1)
    #expect(context.unreadErrors[0].contains("of row 1: the column \(column) has NULL"), "\(context.unreadErrors)")
    expectRest(of: samples[0], besides: String(column.prefix { $0 != "_" }))
  }

  @Test("the property returns its default or an empty value, and each access reads the stored value again")
  func placeholder() throws {
    let store = try TestStore.ofSamples()
    try store.write("UPDATE Sample SET count = 'many', spot_zip = 'x', otherMood = 'sad' WHERE name = 'a'")
    let context = store.context()
    let sample = try context.sample()
    #expect(sample.count == 0 && sample.spot == Spot(city: "", zip: 0) && sample.otherMood == nil)
    try store.write("UPDATE Sample SET count = 7, otherMood = 'glad' WHERE name = 'a'")
    #expect(sample.count == 7 && sample.otherMood == .glad)
    #expect(context.unreadValues.map(\.propertyName) == ["spot"])
  }

  @Test("the value is logged once, with its cause, regardless of how often it is read or fetched")
  func log() throws {
    let recorder = LogRecorder()
    try recorder.listen {
      let store = try TestStore.ofSamples()
      try store.write("UPDATE Sample SET count = 'many' WHERE name = 'a'")
      let context = store.context()
      recorder.clear()
      let sample = try context.sample()
      for _ in 0..<5 {
        _ = sample.count
        _ = try context.all(Sample.self)
      }
      let lines = recorder.all.filter { $0.level == .error }.map(\.message)
      #expect(lines.count == 1 && lines[0].contains("Sample.count of row 1"), "\(lines)")
      #expect(lines.first?.contains("the text 'many'") == true)
    }
  }

  @Test("invalid values in many rows are logged once, with the first cause and the number of rows, and all are listed")
  func many() throws {
    let recorder = LogRecorder()
    try recorder.listen {
      let store = try TestStore.ofSamples()
      let writer = store.context()
      for index in 0..<300 { writer.insert(Sample("s\(index)")) }
      try writer.save()
      try store.write("UPDATE Sample SET count = 'many' WHERE name LIKE 's%'")
      let context = store.context()
      recorder.clear()
      let samples = try context.all(Sample.self)
      let lines = recorder.all.filter { $0.level == .error }.map(\.message)
      #expect(lines.count == 2 && lines[1].contains("299 more"), "\(lines)")
      #expect(context.unreadValues.count == 300)
      #expect(samples.filter { $0.count == 0 }.count == 300)
      withExtendedLifetime(samples) {}
    }
  }

  @Test("a change of another property is saved if the program has not read the value")
  func change() throws {
    let store = try TestStore.ofSamples()
    try store.write("UPDATE Sample SET count = 'many' WHERE name = 'a'")
    let context = store.context()
    let sample = try context.sample()
    sample.level = 9
    try context.save()
    #expect(try store.raw.rows("SELECT level, count FROM Sample WHERE name = 'a'") == [["9", "many"]])
    #expect(context.unreadValues.count == 1)
  }

  @Test("a save throws once if the program read the default in place of the value before it changed the object")
  func built() throws {
    let store = try TestStore.ofSamples()
    try store.write("UPDATE Sample SET count = 'many' WHERE name = 'a'")
    let context = store.context()
    let sample = try context.sample()
    sample.level = sample.count + 1
    let error = #expect(throws: SwiftDataError.corruptValue) { try context.save() }
    #expect("\(try #require(error))".contains("the text 'many'"))
    try context.save()
    #expect(try store.raw.rows("SELECT level, count FROM Sample WHERE name = 'a'") == [["1", "many"]])
    let other = store.context()
    let same = try other.sample()
    same.count += 1
    same.tags.append("b")
    let refusal = #expect(throws: SwiftDataError.corruptValue) { try other.save() }
    #expect(refusal?.explanation?.contains("count was not changed") == true)
    try other.save()
    #expect(try store.raw.rows("SELECT count, tags FROM Sample WHERE name = 'a'") == [["many", "[\"a\",\"b\"]"]])
  }

  @Test("assigning the property a new value repairs the row", arguments: WrongValue.all)
  func mended(_ value: WrongValue) throws {
    let store = try TestStore.ofSamples()
    try store.write("UPDATE Sample SET \(value.column ?? value.property) = \(value.sql) WHERE name = 'a'")
    let context = store.context()
    let sample = try context.sample()
    sample.count = 5
    sample.level = nil
    sample.mood = .glad
    sample.otherMood = .glad
    sample.tags = []
    sample.spot = Spot(city: "Rome", zip: 2)
    sample.made = .distantPast
    sample.token = UUID()
    #expect(context.unreadValues.isEmpty)
    try context.save()
    let fresh = store.context()
    let stored = try fresh.sample()
    #expect(stored.count == 5 && stored.mood == .glad && stored.spot.city == "Rome" && stored.token == sample.token)
    #expect(fresh.unreadValues.isEmpty && context.unreadValues.isEmpty)
  }

  @Test("if another program writes such a value, the object in memory gets the default, and later a valid value")
  func news() throws {
    let store = try TestStore.ofSamples()
    let context = store.context()
    let sample = try context.sample()
    #expect(sample.count == 41)
    let flag = changeFlag { _ = sample.count }
    try store.write("UPDATE Sample SET count = 'many', level = 5, tags = 'x' WHERE name = 'a'")
    _ = try context.fetchCount(FetchDescriptor<Hamper>())
    _ = try context.fetchCount(FetchDescriptor<Hamper>())
    #expect(flag.isRaised && sample.level == 5)
    #expect(sample.count == 0 && sample.tags.isEmpty)
    #expect(Set(context.unreadValues.compactMap(\.propertyName)) == ["count", "tags"])
    let other = changeFlag { _ = sample.count }
    try store.write("UPDATE Sample SET count = 8, tags = '[\"b\"]' WHERE name = 'a'")
    _ = try context.fetchCount(FetchDescriptor<Hamper>())
    _ = try context.fetchCount(FetchDescriptor<Hamper>())
    #expect(other.isRaised && sample.count == 8 && sample.tags == ["b"])
    #expect(context.unreadValues.isEmpty)
    sample.count += 1
    try context.save()
    #expect(try store.raw.column("SELECT count FROM Sample WHERE name = 'a'") == ["9"])
  }

  @Test("a row with such a value can be deleted, and unreadValues does not list the value afterwards")
  func deleted() throws {
    let store = try TestStore.ofSamples()
    try store.write("UPDATE Sample SET count = 'many' WHERE name = 'a'")
    let context = store.context()
    let sample = try context.sample()
    try store.write("DELETE FROM Sample WHERE name = 'a'")
    _ = try context.fetchCount(FetchDescriptor<Hamper>())
    _ = try context.fetchCount(FetchDescriptor<Hamper>())
    #expect(sample.isDeleted && context.unreadValues.isEmpty)
    let other = try context.sample("b")
    try store.write("UPDATE Sample SET count = 'many' WHERE name = 'b'")
    _ = try context.all(Sample.self)
    context.delete(other)
    try context.save()
    #expect(try store.raw.column("SELECT name FROM Sample") == [])
  }

  @Test("fetching the row again does not notify observers of the unread properties")
  func observers() throws {
    let store = try TestStore.ofSamples()
    try store.write(
      "UPDATE Sample SET count = 'many', level = 'x', mood = 'x', otherMood = 'x', tags = 'x', spot_zip = 'x', box = 99"
    )
    let context = store.context()
    let sample = try context.sample()
    _ = (sample.count, sample.box)
    let flag = changeFlag {
      _ = (sample.count, sample.level, sample.mood, sample.otherMood)
      _ = (sample.tags, sample.spot, sample.box)
    }
    _ = try context.all(Sample.self)
    #expect(!flag.isRaised)
  }

  @Test(
    "after a rollback, the value is still listed, but a save no longer throws although the program had read the default"
  )
  func rollback() throws {
    let store = try TestStore.ofSamples()
    try store.write("UPDATE Sample SET count = 'many' WHERE name = 'a'")
    let context = store.context()
    let sample = try context.sample()
    sample.level = sample.count
    context.rollback()
    #expect(context.unreadValues.count == 1)
    sample.count = 3
    try context.save()
    #expect(try store.raw.column("SELECT count FROM Sample WHERE name = 'a'") == ["3"])
  }

  @Test("a save detects that another program changed a row that now also contains an invalid value")
  func conflict() throws {
    let store = try TestStore.ofSamples()
    let context = store.context()
    context.conflictPolicy = .throwError
    let sample = try context.sample()
    #expect(sample.level == 1)
    sample.level = 2
    try store.write("UPDATE Sample SET count = 'many', level = 3 WHERE name = 'a'")
    let error = #expect(throws: SwiftDataError.conflictingChanges) { try context.save() }
    #expect(error?.explanation?.contains("level") == true)
    sample.count = 50
    let other = #expect(throws: SwiftDataError.conflictingChanges) { try context.save() }
    #expect(other?.explanation?.contains("what cannot be read") == true, "\(other as Any)")
  }

  @Test("a predicate that is evaluated in memory throws only if it needs the value")
  func search() throws {
    let store = try TestStore.ofSamples()
    try store.write("UPDATE Sample SET spot_zip = 'x' WHERE name = 'a'")
    let context = store.context()
    let (one, nine) = (UInt8(1), UInt8(9))
    let needing = FetchDescriptor<Sample>(predicate: #Predicate { $0.bytes.contains(nine) || $0.spot.zip > 0 })
    let error = #expect(throws: SwiftDataError.corruptValue) { try context.fetch(needing) }
    #expect(error?.explanation?.contains("spot_zip") == true)
    let other = FetchDescriptor<Sample>(predicate: #Predicate { $0.bytes.contains(one) })
    #expect(try context.fetch(other).count == 2)
  }
}
