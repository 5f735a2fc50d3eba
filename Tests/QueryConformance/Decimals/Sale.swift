import ConformanceSupport
import SeededNumbers
import SwiftData
import Testing

struct Portion: Codable, Hashable {
  var gross: Decimal
  var net: Decimal?
}

/// A model with four decimals: one with an index, one without, one as the second column of an index, and one as a
/// member of a struct.
@Model
class Sale {
  #Index<Sale>([\.price], [\.count, \.discount], [\.portion.net])
  var price: Decimal
  var cost: Decimal
  var count: Int
  var discount: Decimal?
  var portion: Portion
  @Attribute(.unique) var number: Decimal

  init(_ price: Decimal, discount: Decimal?, number: Int) {
    self.price = price
    cost = price
    count = number % 2
    self.discount = discount
    portion = Portion(gross: price, net: discount)
    self.number = Decimal(number)
  }
}

@Model
final class Bargain: Sale {
  #Index<Bargain>([\.rebate])
  var rebate: Decimal = 0

  override init(_ price: Decimal, discount: Decimal?, number: Int) {
    super.init(price, discount: discount, number: number)
    rebate = price
  }
}

/// A model with a decimal in an R-tree. A plain index additionally contains the rows that the R-tree cannot contain.
@Model
final class Field {
  #Index<Field>(.rtree([\.price, \.size]), .rtree([\.width, \.height]))
  var price: Decimal
  var size: UInt64?
  var width: Double
  var height: Double

  init(_ price: Decimal, size: UInt64?) {
    self.price = price
    self.size = size
    width = 1
    height = .nan
  }
}

/// Random decimals of up to 38 digits. All are multiples of the same power of ten, so that Foundation compares them
/// without rounding.
struct RandomDecimals {
  var generator: SeededGenerator

  mutating func next(count: Int) throws -> [Decimal] {
    var values: [Decimal] = [0, 1, -1, .nan]
    while values.count < count {
      let value = try next()
      // Adds similar decimals of both signs, which convert to the same floating-point number.
      for neighbour in [value, value + step(1), value - step(1), -value, -value + step(1), value + step(7)] {
        values.append(neighbour)
      }
    }
    return values.shuffled(using: &generator)
  }

  private mutating func next() throws -> Decimal {
    let wholeCount = Int.random(in: 1...19, using: &generator)
    let whole = digits(wholeCount)
    let fraction = digits(Int.random(in: 1...18, using: &generator))
    return try #require(Decimal(string: "\(Bool.random(using: &generator) ? "-" : "")\(whole).\(fraction)"))
  }

  private mutating func digits(_ count: Int) -> String {
    (0..<count).map { _ in String(Int.random(in: 0...9, using: &generator)) }.joined()
  }

  private func step(_ number: Int) -> Decimal { Decimal(sign: .plus, exponent: -18, significand: Decimal(number)) }
}
