import OpenSwiftData

/// What a customer wants to buy: another aggregate. It refers to items of categories by reference, never by
/// relationship: what belongs to another aggregate is not its own to load, change or delete.
@Model
@ModelValue
final class Basket {
  @Attribute(.unique) private(set) var owner: String
  private(set) var lines: [Line] = []

  init(owner: String) {
    self.owner = owner
  }

  /// Adds some of an item.
  func add(_ item: Model<Item>, _ count: Int) throws {
    guard count > 0 else { throw ShopError.nothing }
    if let index = lines.firstIndex(where: { $0.item == item }) {
      lines[index].count += count
    } else {
      lines.append(Line(item: item, count: count))
    }
  }
}

/// One line of a basket: a value, which has no identity of its own.
struct Line: Codable, Hashable, Sendable {
  var item: Model<Item>
  var count: Int
}
