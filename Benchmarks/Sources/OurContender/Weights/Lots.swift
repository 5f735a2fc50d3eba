import Foundation
import SwiftData

/// Two coordinates of one kind or another, with an R-tree over them or without.
protocol Lot: PersistentModel {
  init(_ x: Int, _ y: Int)

  /// Asks for a box that contains its ends.
  static func box(x: ClosedRange<Int>, y: ClosedRange<Int>) -> Predicate<Self>
}

/// Decimals without a tree: the other way to store them.
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

/// Decimals with a tree, which ``CoordinateForm`` exists for.
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

/// Numbers as the tree has them: what a tree costs without any form of coordinates.
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
