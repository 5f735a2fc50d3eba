import SwiftData

// What exhibits are described with: values of every kind that a property may have.

/// Its raw values are texts, of which one is not its own stored form.
enum Condition: String, Codable, CaseIterable {
  case sound
  case cracked = "ge\u{301}brochen"
  case lost = "a\u{0}b"
}

/// Its raw values are numbers.
enum Rank: Int, Codable {
  case minor = -1
  case usual = 0
  case major = 7
}

struct Spot: Codable, Equatable {
  var latitude: Double
  var longitude: Double
}

/// A struct that fills a column for each member, one of them a struct again.
struct Origin: Codable, Equatable {
  var city: String
  var spot: Spot
  var year: Int?
  var condition: Condition
  var names: [String]
}

/// A struct that only a column more can tell from nil.
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

/// Is not Codable.
struct Route: Equatable {
  var stops: [String]
}

/// Stores a route as its stops, one on each line.
final class RouteTransformer: ValueTransformer {
  override func transformedValue(_ value: Any?) -> Any? {
    (value as? Route).map { Data($0.stops.joined(separator: "\n").utf8) }
  }

  override func reverseTransformedValue(_ value: Any?) -> Any? {
    (value as? Data).map { Route(stops: String(decoding: $0, as: UTF8.self).split(separator: "\n").map(String.init)) }
  }
}
