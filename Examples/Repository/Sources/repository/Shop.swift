import Foundation
import OpenSwiftData

/// Fills a shop and a basket through their repositories, and shows which changes the aggregates reject.
@main
struct Shop {
  static func main() async throws {
    let container = try ModelContainer(
      for: Category.self, Item.self, Basket.self,
      configurations: ModelConfiguration(isStoredInMemoryOnly: true))
    let categories = CategoryRepository(modelContainer: container)
    let baskets = BasketRepository(modelContainer: container)

    let fruit = try await categories.add { Category(name: "Fruit", room: 3) }
    try await categories.change(fruit) { fruit in
      for title in ["apple", "pear"] { try fruit.addItem(title) }
    }
    try await show(categories, "two items, one save")

    // The second of these is rejected, so the first is not saved either.
    do {
      try await categories.change(fruit) { fruit in
        try fruit.addItem("plum")
        try fruit.addItem("apple")
      }
    } catch {
      print("refused: \(error)")
    }
    try await show(categories, "as before")

    let items = try await categories.items(of: fruit)
    let basket = try await baskets.add { Basket(owner: "Ada") }
    if let apple = items["apple"] {
      try await baskets.change(basket) { try $0.add(apple, 2) }
    }
    for value in try await baskets.values() {
      print("\(value.owner) wants \(value.lines.map(\.count)) of \(value.lines.map(\.item))")
    }

    // A hundred concurrent buyers: the actor runs one change after the other, and each is atomic.
    try await withThrowingTaskGroup { group in
      for _ in 0..<100 {
        group.addTask {
          if let pear = items["pear"] { try await baskets.change(basket) { try $0.add(pear, 1) } }
        }
      }
      try await group.waitForAll()
    }
    let lines = try await baskets.values().flatMap(\.lines)
    print("pears: \(lines.last?.count ?? 0)")

    try await categories.remove(fruit)
    let left = try await categories.values().count
    print("categories left: \(left); items left: \(try ModelContext(container).fetchCount(FetchDescriptor<Item>()))")
  }

  private static func show(_ categories: CategoryRepository, _ title: String) async throws {
    for value in try await categories.values() {
      print("\(title): \(value.name) has \(value.items.count) of \(value.room)")
    }
  }
}
