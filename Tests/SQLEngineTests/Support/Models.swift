import Foundation
import PersistenceCore

/// An enum whose order differs from the order of its raw values.
enum Grade: Int, Codable, CaseIterable, Comparable, Sendable {
  case low = 2
  case high = 1

  static func < (lhs: Grade, rhs: Grade) -> Bool { lhs.rawValue > rhs.rawValue }
}

/// A struct that is stored in a column for each member.
struct Spot: Codable, Hashable, Sendable {
  var city: String
  var zip: Int?
}

/// A model with attributes of every storage class, optional and required.
@Model
final class Record {
  #Index<Record>([\.title], [\.count, \.rest])
  @Attribute(.unique) var code: String
  var title: String
  var note: String?
  var remark: String?
  var count: Int
  var rest: Int?
  var size: UInt64
  var weight: Double
  var height: Double
  var ratio: Double?
  var price: Decimal
  var isOpen: Bool
  var isGood: Bool?
  var date: Date
  var token: UUID
  var bytes: Data
  var grade: Grade
  var tags: [String]
  var marks: [String: Int]
  var spot: Spot
  var former: Spot?

  init(_ code: String) {
    self.code = code
    title = ""
    count = 0
    size = 0
    weight = 0
    height = 0
    price = 0
    isOpen = false
    date = Date(timeIntervalSinceReferenceDate: 0)
    token = UUID()
    bytes = Data()
    grade = .low
    tags = []
    marks = [:]
    spot = Spot(city: "", zip: nil)
  }
}

// MARK: Relationships

@Model
final class Band {
  @Attribute(.unique) var name: String
  @Relationship(deleteRule: .cascade, inverse: \Album.band) var albums: [Album] = []
  @Relationship(inverse: \Fan.bands) var fans: [Fan] = []
  @Relationship(inverse: nil) var venues: [Venue] = []
  @Relationship(inverse: nil) var leader: Fan?

  init(_ name: String) { self.name = name }
}

@Model
final class Album {
  var title: String
  var year: Int
  var band: Band?
  @Relationship(inverse: \Cover.album) var cover: Cover?

  init(_ title: String, year: Int) {
    self.title = title
    self.year = year
  }
}

@Model
final class Cover {
  var width: Int
  var album: Album

  init(_ width: Int, album: Album) {
    self.width = width
    self.album = album
  }
}

@Model
final class Fan {
  var name: String
  var age: Int
  var bands: [Band] = []

  init(_ name: String, age: Int) {
    self.name = name
    self.age = age
  }
}

@Model
final class Venue {
  var city: String

  init(_ city: String) { self.city = city }
}

// MARK: A hierarchy

@Model
class Vehicle {
  var wheels: Int

  init(_ wheels: Int) { self.wheels = wheels }
}

@Model
final class Bus: Vehicle {
  var seats: Int = 0

  init(_ wheels: Int, seats: Int) {
    super.init(wheels)
    self.seats = seats
  }
}

@Model
final class Truck: Vehicle {
  @Attribute(.unique) var plate: String = ""
  var load: Int?

  init(_ wheels: Int, plate: String) {
    super.init(wheels)
    self.plate = plate
  }
}

// MARK: Points

@Model
final class Pin {
  #Index<Pin>(.rtree([\.x, \.y]))
  var x: Double
  var y: Double

  init(_ x: Double, _ y: Double) {
    self.x = x
    self.y = y
  }
}

enum Models {
  static let music: [any PersistentModel.Type] = [Band.self, Album.self, Cover.self, Fan.self, Venue.self]
  static let vehicles: [any PersistentModel.Type] = [Vehicle.self, Bus.self, Truck.self]
}
