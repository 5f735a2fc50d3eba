import SwiftData

// The value types that attributes of all three versions use.

package enum Mood: String, Codable, CaseIterable, Sendable { case calm, wild, asleep }

package enum Grade: Int, Codable, CaseIterable, Sendable {
  case low = -1
  case middle = 0
  case high = 1
}

package enum Content: Codable, Hashable, Sendable {
  case nothing
  case text(String)
  case size(width: Double, height: Double)
}

package struct Point: Codable, Hashable, Sendable {
  package var x: Double
  package var y: Double
  package var label: String?
}

package struct Place: Codable, Hashable, Sendable {
  package var city: String
  package var number: Int16
  package var corner: Point
  package var other: Point?
  package var mood: Mood
}

/// A type that is not `Codable`, so that only a value transformer can store it.
package struct Route: Hashable, Sendable { package var stops: [String] }

package final class RouteTransformer: ValueTransformer {
  package override func transformedValue(_ value: Any?) -> Any? {
    (value as? Route).map { Data($0.stops.joined(separator: "\n").utf8) }
  }

  package override func reverseTransformedValue(_ value: Any?) -> Any? {
    (value as? Data).map { Route(stops: String(decoding: $0, as: UTF8.self).split(separator: "\n").map(String.init)) }
  }
}
