import SwiftData
import Testing

@Suite("Enums, Codable values and collections round-trip exactly", .serialized)
struct CompoundTests {
  @Test("enums with raw texts and numbers", arguments: Engine.allCases)
  func rawEnums(_ engine: Engine) throws {
    try expectRoundTrip(engine, \Scalars.genre, Genre.allCases)
    try expectRoundTrip(engine, \Scalars.shelf, Shelf.allCases)
    try expectRoundTrip(engine, \Scalars.optionalGenre, [nil, .novel, .science])
    try expectRoundTrip(engine, \Scalars.optionalShelf, [nil, .low, .high])
  }

  @Test("enums with payloads", arguments: Engine.allCases)
  func payloadEnums(_ engine: Engine) throws {
    let values: [Shape] = [
      .point, .circle(radius: 0.1), .polygon([], name: nil), .polygon([3, 4, .max], name: "x\0y"),
      .group(.point, .group(.circle(radius: 2), .point)),
    ]
    try expectRoundTrip(engine, \Compounds.shape, values)
    try expectRoundTrip(engine, \Compounds.optionalShape, [nil, .point, values[4]])
  }

  @Test("nested Codable structs", arguments: Engine.allCases)
  func structs(_ engine: Engine) throws {
    let values = [
      Place(city: "", zip: nil, position: Position(latitude: 0, longitude: 0, note: nil)),
      Place(city: "Oslo", zip: 150, position: Position(latitude: 59.91, longitude: 10.75, note: "")),
      Place(
        city: "\0", zip: .min, position: Position(latitude: -90, longitude: .leastNonzeroMagnitude, note: "e\u{301}")),
    ]
    try expectRoundTrip(engine, \Compounds.place, values)
    try expectRoundTrip(engine, \Compounds.optionalPlace, [nil] + values)
    try expectRoundTrip(engine, \Compounds.places, [[], values])
  }

  @Test("Codable structs with infinities and NaN", arguments: Engine.allCases)
  func structsWithSpecialNumbers(_ engine: Engine) throws {
    let value = Place(city: "far", zip: 0, position: Position(latitude: .infinity, longitude: .nan))
    try expectRoundTrip(engine, \Compounds.place, [value]) { back, _ in
      back.position.latitude == .infinity && back.position.longitude.isNaN
    }
  }

  @Test("Duration", arguments: Engine.allCases)
  func duration(_ engine: Engine) throws {
    let values: [Duration] = [
      .zero, .seconds(1), .nanoseconds(1), .seconds(-3600), .milliseconds(1500),
      Duration(secondsComponent: 9_000_000_000, attosecondsComponent: 1),
    ]
    try expectRoundTrip(engine, \Compounds.duration, values)
    try expectRoundTrip(engine, \Compounds.optionalDuration, [nil, .zero, values[5]])
  }

  @Test("arrays of integers", arguments: Engine.allCases)
  func integers(_ engine: Engine) throws {
    try expectRoundTrip(engine, \Compounds.integers, [[], [0], [.min, -1, 0, 1, .max], Array(0..<10_000)])
    try expectRoundTrip(engine, \Compounds.wide, [[], [0, .max, UInt64(Int64.max) + 1]])
    try expectRoundTrip(engine, \Compounds.gaps, [[], [nil], [1, nil, 3]])
  }

  @Test("arrays of floating-point numbers", arguments: Engine.allCases)
  func floats(_ engine: Engine) throws {
    let doubles: [Double] = [0, 0.1, -1.0 / 3, .greatestFiniteMagnitude, .leastNonzeroMagnitude, .pi, 1e22]
    try expectRoundTrip(engine, \Compounds.doubles, [[], doubles])
    let floats: [Float] = [0, 0.1, -1.0 / 3, .greatestFiniteMagnitude, .leastNonzeroMagnitude, .pi]
    try expectRoundTrip(engine, \Compounds.floats, [[], floats])
  }

  @Test("arrays of infinities, NaN and negative zero", arguments: Engine.allCases)
  func specialFloats(_ engine: Engine) throws {
    try expectRoundTrip(engine, \Compounds.doubles, [[.infinity, -.infinity, .nan, -0.0]]) { back, _ in
      back.count == 4 && back[0] == .infinity && back[1] == -.infinity && back[2].isNaN && back[3].sign == .minus
    }
    try expectRoundTrip(engine, \Compounds.floats, [[.infinity, -.infinity, .nan, -0.0]]) { back, _ in
      back.count == 4 && back[0] == .infinity && back[1] == -.infinity && back[2].isNaN && back[3].sign == .minus
    }
  }

  @Test("arrays of dates, Data, URLs, UUIDs and enums", arguments: Engine.allCases)
  func others(_ engine: Engine) throws {
    let dates = [
      Date(timeIntervalSinceReferenceDate: 0.1), .distantPast, .distantFuture, Date(timeIntervalSince1970: 0.3),
    ]
    try expectRoundTrip(engine, \Compounds.dates, [[], dates])
    try expectRoundTrip(engine, \Compounds.blobs, [[], [Data()], [Data(0...255), Data()]])
    let url = try #require(URL(string: "https://example.org/a%20b?c#d"))
    try expectRoundTrip(engine, \Compounds.urls, [[], [url]])
    try expectRoundTrip(engine, \Compounds.uuids, [[], (0..<20).map { _ in UUID() }])
    try expectRoundTrip(engine, \Compounds.genres, [[], Genre.allCases])
    try expectRoundTrip(engine, \Compounds.nested, [[], [[]], [["a"], [], ["b", "c"]]])
  }

  @Test("dictionaries with texts, numbers, enums and UUIDs as keys", arguments: Engine.allCases)
  func dictionaries(_ engine: Engine) throws {
    try expectRoundTrip(engine, \Compounds.byName, [[:], ["": 0, "a": .min, "b\0": .max]])
    try expectRoundTrip(engine, \Compounds.byNumber, [[:], [0: "", .min: "a", .max: "\0"]])
    try expectRoundTrip(engine, \Compounds.byGenre, [[:], [.novel: 1, .science: 3]])
    try expectRoundTrip(engine, \Compounds.byUUID, [[:], [UUID(): 0.1, UUID(): -1]])
    try expectRoundTrip(engine, \Compounds.optionalByNumber, [nil, [:], [7: "x"]])
  }

  @Test("sets", arguments: Engine.allCases)
  func sets(_ engine: Engine) throws {
    try expectRoundTrip(engine, \Compounds.members, [[], ["a", "", "\0"]])
    try expectRoundTrip(engine, \Compounds.numbers, [[], [.min, 0, .max]])
    try expectRoundTrip(engine, \Compounds.optionalMembers, [nil, [], ["x"]])
    try expectRoundTrip(engine, \Compounds.optionalStrings, [nil, [], ["x"]])
  }

  @Test("changes in place are stored", arguments: Engine.allCases)
  func inPlace(_ engine: Engine) throws {
    let store = try TestStore(engine, [Compounds.self])
    let context = store.context()
    let model = Compounds(position: 0)
    context.insert(model)
    try context.save()
    model.strings.append("a")
    model.byNumber[7] = "seven"
    model.members.insert("m")
    model.place.position.latitude = 1.5
    model.integers += [1, 2, 3]
    model.integers.remove(at: 1)
    #expect(model.hasChanges)
    try context.save()
    try store.reopen()
    let found = try #require(try store.context().fetch(FetchDescriptor<Compounds>()).first)
    #expect(found.strings == ["a"])
    #expect(found.byNumber == [7: "seven"])
    #expect(found.members == ["m"])
    #expect(found.place.position.latitude == 1.5)
    #expect(found.integers == [1, 3])
  }
}
