import SwiftData
import Testing

@Suite("Composite values round-trip exactly", .serialized)
struct CompositeRoundTripTests {
  @Test("composites with every kind of member", arguments: Engine.allCases)
  func members(_ engine: Engine) throws {
    try expectRoundTrip(engine, \Site.address, [Address(""), Address("Oslo", latitude: 59.91, zip: 150), .extreme])
  }

  @Test("optional composites", arguments: Engine.allCases)
  func optional(_ engine: Engine) throws {
    try expectRoundTrip(engine, \Site.former, [nil, Address(""), .extreme, nil])
  }

  @Test("a composite whose members are all nil is distinguished from nil", arguments: Engine.allCases)
  func allOptional(_ engine: Engine) throws {
    let values = [Region(), Region(code: "x", zip: nil), Region(code: nil, zip: 0), Region(code: "", zip: .max)]
    try expectRoundTrip(engine, \Site.region, values)
    try expectRoundTrip(engine, \Site.formerRegion, [nil] + values)
  }

  @Test("composites with nil at each level", arguments: Engine.allCases)
  func levels(_ engine: Engine) throws {
    var values = Array(repeating: Address.extreme, count: 6)
    values[0].hint = nil
    values[1].spare = nil
    values[2].spare = Region(code: nil, zip: 1)
    values[3].twice = nil
    values[4].lastAccess = nil
    values[5].notes = nil
    try expectRoundTrip(engine, \Site.address, values)
    try expectRoundTrip(engine, \Site.former, values)
  }

  @Test("composites with NaN of any bits and zeros of both signs", arguments: Engine.allCases)
  func specialNumbers(_ engine: Engine) throws {
    let numbers = [Double.nan, .signalingNaN, Double(nan: 7, signaling: false), -0.0, 0, .infinity]
    let values = numbers.map { Address("", latitude: $0, longitude: 1) }
    try expectRoundTrip(engine, \Site.address, values) { back, value in
      back.point.latitude.bitPattern == value.point.latitude.bitPattern
    }
    try expectRoundTrip(engine, \Site.former, values) { back, value in
      back?.point.latitude.bitPattern == value?.point.latitude.bitPattern
    }
  }

  @Test("composites with enums with payloads, including indirect enums", arguments: Engine.allCases)
  func payloads(_ engine: Engine) throws {
    let values: [Access] = [
      .free, .fee(1, note: nil), .fee(2, note: "\0"), .any(.free, .any(.fee(3, note: ""), .free)),
    ]
    try expectRoundTrip(engine, \Site.access, values)
    try expectRoundTrip(engine, \Site.formerAccess, [nil] + values)
    try expectRoundTrip(
      engine, \Site.address,
      values.map { access in
        var address = Address("")
        address.access = access
        address.lastAccess = access
        return address
      })
  }
}
