import OpenSwiftData

/// A category and its items: one aggregate, of which the category is the root.
///
/// Only their category creates, renames and removes items, so its invariants hold: no two items have the same title,
/// and there are never more than the category has room for.
@Model
@ModelValue
final class Category {
  @Attribute(.unique) private(set) var name: String
  private(set) var room: Int
  @Relationship(deleteRule: .cascade, inverse: \Item.category) private(set) var items: [Item] = []

  init(name: String, room: Int) {
    self.name = name
    self.room = room
  }

  /// Adds an item.
  @discardableResult
  func addItem(_ title: String) throws -> Item {
    guard !items.contains(where: { $0.title == title }) else { throw ShopError.twice(title) }
    guard items.count < room else { throw ShopError.full(name, room) }
    let item = Item(title)
    items.append(item)
    return item
  }

  /// Removes an item, which also deletes it, because it belongs only to this category.
  func removeItem(_ title: String) throws {
    guard let item = items.first(where: { $0.title == title }) else { throw ShopError.missing(title) }
    item.modelContext?.delete(item)
  }
}

/// A part of a category. Only this file can create or change one.
@Model
@ModelValue
final class Item {
  fileprivate(set) var title: String
  fileprivate(set) var category: Category?

  fileprivate init(_ title: String) {
    self.title = title
  }
}
