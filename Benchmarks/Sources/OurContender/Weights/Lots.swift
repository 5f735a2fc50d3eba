import Foundation
import SwiftData

/// Two coordinates of some type, with or without an R-tree over them.
protocol Lot: PersistentModel {
  init(_ x: Int, _ y: Int)

  /// Matches the points in a box, its bounds included.
  static func box(x: ClosedRange<Int>, y: ClosedRange<Int>) -> Predicate<Self>
}

/// Decimals without an R-tree, the alternative storage.
@Model final class PlainLot: Lot {
  var x: Decimal
  var y: Decimal

  init(_ x: Int, _ y: Int) { (self.x, self.y) = (Decimal(x), Decimal(y)) }

  static func box(x: ClosedRange<Int>, y: ClosedRange<Int>) -> Predicate<PlainLot> {
    let (left, right) = (Decimal(x.lowerBound), Decimal(x.upperBound))
    let (bottom, top) = (Decimal(y.lowerBound), Decimal(y.upperBound))
    return #Predicate { $0.x >= left && $0.x <= right && $0.y >= bottom && $0.y <= top }
  }
}

/// Decimals with an R-tree, for which ``CoordinateForm`` exists.
@Model final class DecimalLot: Lot {
  #Index<DecimalLot>(.rtree([\.x, \.y]))
  var x: Decimal
  var y: Decimal

  init(_ x: Int, _ y: Int) { (self.x, self.y) = (Decimal(x), Decimal(y)) }

  static func box(x: ClosedRange<Int>, y: ClosedRange<Int>) -> Predicate<DecimalLot> {
    let (left, right) = (Decimal(x.lowerBound), Decimal(x.upperBound))
    let (bottom, top) = (Decimal(y.lowerBound), Decimal(y.upperBound))
    return #Predicate { $0.x >= left && $0.x <= right && $0.y >= bottom && $0.y <= top }
  }
}

/// Numbers of the R-tree's own type: the cost of an R-tree without converted coordinates.
@Model final class DoubleLot: Lot {
  #Index<DoubleLot>(.rtree([\.x, \.y]))
  var x: Double
  var y: Double

  init(_ x: Int, _ y: Int) { (self.x, self.y) = (Double(x), Double(y)) }

  static func box(x: ClosedRange<Int>, y: ClosedRange<Int>) -> Predicate<DoubleLot> {
    let (left, right) = (Double(x.lowerBound), Double(x.upperBound))
    let (bottom, top) = (Double(y.lowerBound), Double(y.upperBound))
    return #Predicate { $0.x >= left && $0.x <= right && $0.y >= bottom && $0.y <= top }
  }
}
