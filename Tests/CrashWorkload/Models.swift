import SwiftData

/// A row for each save: how many items the save inserted, and how many of these items later saves have deleted.
@Model
package final class Generation {
  package var number: Int
  package var inserted: Int
  package var removed: Int
  package var note: String?
  @Relationship(inverse: \Item.generation) package var items: [Item] = []

  init(number: Int, inserted: Int, note: String?) {
    self.number = number
    self.inserted = inserted
    self.removed = 0
    self.note = note
  }
}

/// The items that saves insert, change and delete.
@Model
package final class Item {
  #Index<Item>(.rtree([\.weight, \.number]))
  package var number: Int
  package var text: String
  package var weight: Double
  package var isMarked: Bool
  @Attribute(.externalStorage) package var payload: Data
  package var generation: Generation?
  package var label: Label?

  init(_ record: StoreState.ItemRecord, of generation: Generation, label: Label?) {
    number = record.number
    text = record.text
    weight = record.weight
    isMarked = record.isMarked
    payload = record.payload
    self.generation = generation
    self.label = label
  }
}

/// One of six rows that every save stamps with its number, so that fetching these rows is enough to detect an
/// incomplete save.
@Model
package final class Label {
  package var name: String
  package var stamp: Int
  /// The number of items that refer to this label.
  package var uses: Int

  package init(name: String) {
    self.name = name
    self.stamp = 0
    self.uses = 0
  }
}

/// Opens a store of these models in a file.
package func openStore(at path: String, busyTimeout: Duration = .seconds(5)) throws -> ModelContainer {
  let schema = Schema([Generation.self, Item.self, Label.self])
  var configuration = ModelConfiguration(schema: schema, url: URL(filePath: path))
  configuration.busyTimeout = busyTimeout
  return try ModelContainer(for: schema, configurations: [configuration])
}
