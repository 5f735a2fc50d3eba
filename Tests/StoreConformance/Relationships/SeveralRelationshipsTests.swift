import SwiftData
import Testing

@Suite("Several relationships between two entities", .serialized)
struct SeveralRelationshipsTests {
  private func scene(_ situation: Situation) throws -> Scene {
    let airports = ["Oslo", "Rome"].map { Airport($0) }
    let flights = named("abcd") { Flight($0) }
    airports[0].departures = [flights[0], flights[1]]
    airports[1].arrivals = [flights[1], flights[0]]
    flights[2].origin = airports[1]
    return try Scene(situation, airports + flights)
  }

  private func expect(_ scene: Scene, _ airport: String, departures: String, arrivals: String) throws {
    let found: Airport = try scene.find(airport)
    #expect(found.departures.names == letters(departures), "departures of \(airport)")
    #expect(found.arrivals.names == letters(arrivals), "arrivals of \(airport)")
    for flight in found.departures { #expect(flight.origin?.name == airport, "origin of \(flight.name)") }
    for flight in found.arrivals { #expect(flight.destination?.name == airport, "destination of \(flight.name)") }
  }

  @Test("each relationship has its own inverse", arguments: Situation.all)
  func inverses(_ situation: Situation) throws {
    let scene = try scene(situation)
    try scene.nowAndLater { () throws in
      try expect(scene, "Oslo", departures: "ab", arrivals: "")
      try expect(scene, "Rome", departures: "c", arrivals: "ba")
    }
  }

  @Test("an object may be in both lists of one owner", arguments: Situation.all)
  func both(_ situation: Situation) throws {
    let scene = try scene(situation)
    let flight: Flight = try scene.find("d")
    flight.origin = try scene.find("Rome")
    flight.destination = try scene.find("Rome")
    try scene.nowAndLater { try expect(scene, "Rome", departures: "cd", arrivals: "bad") }
    try scene.find("Rome", Airport.self).departures.removeAll { $0.name == "d" }
    try scene.nowAndLater { () throws in
      try expect(scene, "Rome", departures: "c", arrivals: "bad")
      #expect(try scene.find("d", Flight.self).origin == nil)
    }
  }

  @Test("a change of one list does not change the other", arguments: Situation.all)
  func others(_ situation: Situation) throws {
    let scene = try scene(situation)
    let rome: Airport = try scene.find("Rome")
    rome.departures = [try scene.find("d"), try scene.find("a")]
    try scene.nowAndLater { () throws in
      try expect(scene, "Rome", departures: "da", arrivals: "ba")
      try expect(scene, "Oslo", departures: "b", arrivals: "")
    }
  }
}
