import SwiftData

// The types of an exhibit's properties: one of each kind that the library can store.

/// An enum whose raw values are texts. The stored form of one raw value differs from the raw value.
enum Condition: String, Codable, CaseIterable {
  case sound
  case cracked = "ge\u{301}brochen"
  case lost = "a\u{0}b"
}

/// An enum whose raw values are integers.
enum Rank: Int, Codable {
  case minor = -1
  case usual = 0
  case major = 7
}

struct Spot: Codable, Equatable {
  var latitude: Double
  var longitude: Double
}

/// A struct that is stored in a column for each member. One of its members is also a struct.
struct Origin: Codable, Equatable {
  var city: String
  var spot: Spot
  var year: Int?
  var condition: Condition
  var names: [String]
}

/// A struct whose members are all optional. It needs an additional column that distinguishes it from nil.
struct Hint: Codable, Equatable {
  var text: String?
  var page: Int?
}

/// An enum that is stored as JSON.
enum Frame: Codable, Equatable {
  case none
  case wood(width: Double)
  case carved([String], by: String?)
}

/// A type that is not Codable, so that it needs a transformer.
struct Route: Equatable {
  var stops: [String]
}

/// Stores a route as a text with one stop in each line.
final class RouteTransformer: ValueTransformer {
  override func transformedValue(_ value: Any?) -> Any? {
    (value as? Route).map { Data($0.stops.joined(separator: "\n").utf8) }
  }

  override func reverseTransformedValue(_ value: Any?) -> Any? {
    (value as? Data).map { Route(stops: String(decoding: $0, as: UTF8.self).split(separator: "\n").map(String.init)) }
  }
}
