import SwiftData

// The types of an exhibit's values: each kind that a property can have.

/// The raw values are texts, one of which differs from its stored form.
enum Condition: String, Codable, CaseIterable {
  case sound
  case cracked = "ge\u{301}brochen"
  case lost = "a\u{0}b"
}

/// The raw values are numbers.
enum Rank: Int, Codable {
  case minor = -1
  case usual = 0
  case major = 7
}

struct Spot: Codable, Equatable {
  var latitude: Double
  var longitude: Double
}

/// A struct with a column for each member; one member is again a struct.
struct Origin: Codable, Equatable {
  var city: String
  var spot: Spot
  var year: Int?
  var condition: Condition
  var names: [String]
}

/// A struct that needs an additional column to be distinguished from nil.
struct Hint: Codable, Equatable {
  var text: String?
  var page: Int?
}

/// Stored as JSON.
enum Frame: Codable, Equatable {
  case none
  case wood(width: Double)
  case carved([String], by: String?)
}

/// A type that is not Codable.
struct Route: Equatable {
  var stops: [String]
}

/// Stores a route as its stops, one per line.
final class RouteTransformer: ValueTransformer {
  override func transformedValue(_ value: Any?) -> Any? {
    (value as? Route).map { Data($0.stops.joined(separator: "\n").utf8) }
  }

  override func reverseTransformedValue(_ value: Any?) -> Any? {
    (value as? Data).map { Route(stops: String(decoding: $0, as: UTF8.self).split(separator: "\n").map(String.init)) }
  }
}
