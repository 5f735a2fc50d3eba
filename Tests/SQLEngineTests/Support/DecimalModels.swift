import Foundation
import PersistenceCore

struct Weighing: Codable, Hashable, Sendable {
  var gross: Decimal
  var net: Decimal?
}

/// A model with decimals in indexes of each kind, and one decimal without an index.
@Model
class Ware {
  #Index<Ware>([\.price], [\.count, \.discount], [\.fee], [\.weighing.net])
  var price: Decimal
  var count: Int
  var discount: Decimal?
  @Attribute(.unique) var fee: Decimal
  @Attribute(.unique) var number: Decimal
  var cost: Decimal
  var weighing: Weighing

  init(_ price: Decimal) {
    self.price = price
    count = 0
    fee = price
    number = price
    cost = price
    weighing = Weighing(gross: price, net: nil)
  }
}

@Model
final class Bargain: Ware {
  #Index<Bargain>([\.rebate])
  var rebate: Decimal = 0

  init(_ price: Decimal, rebate: Decimal) {
    super.init(price)
    self.rebate = rebate
  }
}
