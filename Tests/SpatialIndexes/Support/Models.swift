import SwiftData

@Model final class Place {
  #Index<Place>(.rtree([\.latitude, \.longitude]))
  var name: String
  var latitude: Double
  var longitude: Double

  init(_ name: String, _ latitude: Double, _ longitude: Double) {
    self.name = name
    self.latitude = latitude
    self.longitude = longitude
  }
}

/// A model with an R-tree over optional coordinates.
@Model final class Spot {
  #Index<Spot>(.rtree([\.x, \.y]))
  var x: Double?
  var y: Double
  var note = ""

  init(_ x: Double?, _ y: Double) {
    self.x = x
    self.y = y
  }
}

/// A model with an R-tree that has the maximum number of dimensions.
@Model final class Cell {
  #Index<Cell>(.rtree([\.a, \.b, \.c, \.d, \.e]), .rtree([\.moment]), .binary([\.b]))
  var a: Int
  var b: Int8
  var c: Int64?
  var d: Float
  var e: UInt32
  var moment: Date

  init(_ a: Int, _ b: Int8 = 0, _ c: Int64? = 0, _ d: Float = 0, _ e: UInt32 = 0, moment: Date = .now) {
    self.a = a
    self.b = b
    self.c = c
    self.d = d
    self.e = e
    self.moment = moment
  }
}

struct Position: Codable, Hashable {
  var latitude: Double
  var longitude: Double
}

@Model final class Site {
  #Index<Site>(.rtree([\.position.latitude, \.position.longitude]))
  var position: Position

  init(_ latitude: Double, _ longitude: Double) {
    position = Position(latitude: latitude, longitude: longitude)
  }
}

/// The root class of a hierarchy. Each class of the hierarchy has its own R-tree.
@Model class Landmark {
  #Index<Landmark>(.rtree([\.x, \.y]))
  var x: Double
  var y: Double

  init(_ x: Double, _ y: Double) {
    self.x = x
    self.y = y
  }
}

@Model final class Tower: Landmark {
  #Index<Tower>(.rtree([\.height, \.floors]))
  var height: Double
  var floors: Int

  init(_ x: Double, _ y: Double, height: Double, floors: Int) {
    self.height = height
    self.floors = floors
    super.init(x, y)
  }
}

@Model final class Town {
  @Relationship(deleteRule: .cascade, inverse: \House.town) var houses: [House] = []
  init() {}
}

@Model final class House {
  #Index<House>(.rtree([\.x, \.y]))
  var x: Double
  var y: Double
  var town: Town?

  init(_ x: Double, _ y: Double, town: Town? = nil) {
    self.x = x
    self.y = y
    self.town = town
  }
}

/// A model with an R-tree and a unique name.
@Model final class Station {
  #Index<Station>(.rtree([\.x, \.y]), .binary([\.x, \.y]))
  @Attribute(.unique) var name: String
  var x: Double
  var y: Double

  init(_ name: String, _ x: Double, _ y: Double) {
    self.name = name
    self.x = x
    self.y = y
  }
}

extension Place {
  static func within(_ latitudes: ClosedRange<Double>, _ longitudes: ClosedRange<Double>) -> Predicate<Place> {
    #Predicate { latitudes.contains($0.latitude) && longitudes.contains($0.longitude) }
  }
}
