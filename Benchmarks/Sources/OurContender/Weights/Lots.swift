import Foundation
import SwiftData

/// A model with two coordinates. The models differ in the type of the coordinates, and in whether these have an R-tree
/// index.
protocol Lot: PersistentModel {
  init(_ x: Int, _ y: Int)

  /// A predicate that matches the points in a box, including those on its bounds.
  static func box(x: ClosedRange<Int>, y: ClosedRange<Int>) -> Predicate<Self>
}

/// Decimal coordinates without an R-tree, which would be the alternative.
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

/// Decimal coordinates with an R-tree. ``CoordinateForm`` converts them for the R-tree.
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

/// `Double` coordinates with an R-tree, which need no conversion. They show what the R-tree itself costs.
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
