import SwiftData
import Testing

@Suite("Data, dates, UUIDs and URLs round-trip exactly", .serialized)
struct DataTests {
  @Test("Data of every byte and many lengths", arguments: Engine.allCases)
  func data(_ engine: Engine) throws {
    let lengths = [0, 1, 14, 15, 16, 255, 4096, 65537, 1_000_000]
    let values = lengths.map { length in Data((0..<length).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ length) }) }
    try expectRoundTrip(engine, \Scalars.data, values + [Data(0...255), Data([0]), Data([0, 0])])
  }

  @Test("a slice of Data", arguments: Engine.allCases)
  func slice(_ engine: Engine) throws {
    try expectRoundTrip(engine, \Scalars.data, [Data(0...255)[10..<20], Data(0...255)[5..<5]])
  }

  @Test("empty Data is not nil", arguments: Engine.allCases)
  func emptyData(_ engine: Engine) throws {
    try expectRoundTrip(engine, \Scalars.optionalData, [nil, Data(), Data([0])])
  }

  @Test("100 MB of Data", arguments: Engine.randomCases)
  func hugeData(_ engine: Engine) throws {
    let store = try TestStore(engine, [Scalars.self])
    var generator = SeededGenerator(seed: 1)
    let block = Data((0..<1_048_576).map { _ in UInt8.random(in: .min ... .max, using: &generator) })
    var value = Data(capacity: 100 * block.count)
    for number in 0..<100 {
      value.append(block)
      value[value.count - 1] = UInt8(number)
    }
    try #require(value.count == 100 * 1024 * 1024)
    let context = store.context()
    let model = Scalars(position: 0)
    model.data = value
    context.insert(model)
    try context.save()
    try store.reopen()
    let found = try #require(try store.context().fetch(FetchDescriptor<Scalars>()).first)
    #expect(found.data.count == value.count)
    let same = found.data == value
    #expect(same)
  }

  @Test("dates to the last bit", arguments: Engine.allCases)
  func dates(_ engine: Engine) throws {
    let seconds: [Double] = [
      0, -0.0, 1, 0.1, -0.1, 123_456_789.123_456_7, 0.000_000_1, 700_000_000.000_000_1, -978_307_200, 978_307_200,
      Double.leastNonzeroMagnitude, .greatestFiniteMagnitude, -.greatestFiniteMagnitude,
    ]
    let values =
      seconds.map(Date.init(timeIntervalSinceReferenceDate:)) + [
        .distantPast, .distantFuture, .now, Date(timeIntervalSince1970: 0), Date(timeIntervalSince1970: 0.3),
      ]
    try expectRoundTrip(engine, \Scalars.date, values) { back, value in
      back == value && back.timeIntervalSinceReferenceDate == value.timeIntervalSinceReferenceDate
    }
  }

  @Test("random dates to the last bit", arguments: Engine.randomCases)
  func randomDates(_ engine: Engine) throws {
    let seed = RandomTesting.seed
    var generator = SeededGenerator(seed: seed)
    let values = (0..<1000 * RandomTesting.soak).map { _ in
      Date(timeIntervalSinceReferenceDate: Double.random(in: -1e10...1e10, using: &generator))
    }
    try expectRoundTrip(engine, \Scalars.date, values) { back, value in
      if back != value { Issue.record("seed \(seed)") }
      return back == value
    }
  }

  @Test("optional dates", arguments: Engine.allCases)
  func optionalDates(_ engine: Engine) throws {
    try expectRoundTrip(
      engine, \Scalars.optionalDate, [nil, Date(timeIntervalSinceReferenceDate: 0), .distantPast, .distantFuture])
  }

  @Test("UUIDs", arguments: Engine.allCases)
  func uuids(_ engine: Engine) throws {
    let zero = try #require(UUID(uuidString: "00000000-0000-0000-0000-000000000000"))
    let full = try #require(UUID(uuidString: "FFFFFFFF-FFFF-FFFF-FFFF-FFFFFFFFFFFF"))
    try expectRoundTrip(engine, \Scalars.uuid, [zero, full] + (0..<50).map { _ in UUID() })
    try expectRoundTrip(engine, \Scalars.optionalUUID, [nil, zero, full])
  }

  @Test("predicates find UUIDs", arguments: Engine.allCases)
  func uuidPredicate(_ engine: Engine) throws {
    let store = try TestStore(engine, [Scalars.self])
    let context = store.context()
    let models = (0..<10).map { Scalars(position: $0) }
    models.forEach(context.insert)
    try context.save()
    let wanted = models[4].uuid
    let found = try store.context().fetch(FetchDescriptor<Scalars>(predicate: #Predicate { $0.uuid == wanted }))
    #expect(found.map(\.position) == [4])
  }

  @Test("URLs of every kind", arguments: Engine.allCases)
  func urls(_ engine: Engine) throws {
    let texts = [
      "https://example.org", "https://example.org/", "https://user:pw@example.org:8080/a%20b/?q=1&r=%C3%A9#part", "a/b",
      "../c", "?only=query", "#fragment", "mailto:ada@example.org", "urn:isbn:0451450523", "file:///tmp/a%20b/",
      "//host/path", "data:text/plain,hello",
    ]
    let values =
      try texts.map { try #require(URL(string: $0), "\($0)") } + [
        URL(filePath: "/tmp/a b/\u{E9}.txt"), URL(filePath: "/tmp/folder/", directoryHint: .isDirectory),
      ]
    try expectRoundTrip(engine, \Scalars.url, values) { $0 == $1 && $0.absoluteString == $1.absoluteString }
    try expectRoundTrip(engine, \Scalars.optionalURL, [nil, values[0], values[3]])
  }

  @Test("relative URLs keep their base", arguments: Engine.allCases)
  func relativeURLs(_ engine: Engine) throws {
    let base = try #require(URL(string: "https://example.org/a/b/"))
    let values = try ["c?d=e#f", "../x", "/top"].map { text -> URL in
      try #require(URL(string: text, relativeTo: base))
    }
    try expectRoundTrip(engine, \Scalars.url, values) { back, value in
      back == value && back.relativeString == value.relativeString && back.baseURL == value.baseURL
    }
  }
}
