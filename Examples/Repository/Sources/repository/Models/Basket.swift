import OpenSwiftData

/// A customer's order: another aggregate. It refers to items of categories by reference, never by relationship, because
/// an aggregate must not load, change or delete parts of another aggregate.
@Model
@ModelValue
final class Basket {
  @Attribute(.unique) private(set) var owner: String
  private(set) var lines: [Line] = []

  init(owner: String) {
    self.owner = owner
  }

  /// Adds a number of an item.
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
