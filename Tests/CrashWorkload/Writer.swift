import SeededNumbers
import SwiftData

/// Makes one save after another. Prints the number and digest of each save before the save, and an acknowledgement
/// after it.
package struct Writer {
  private struct Undone: Error {}

  private let context: ModelContext
  private var random: SeededGenerator
  private var state: StoreState
  private var generations: [Int: Generation] = [:]
  private var items: [Int: Item] = [:]
  private var labels: [String: Label] = [:]

  package init(_ container: ModelContainer, seed: UInt64) throws {
    context = ModelContext(container)
    context.autosaveEnabled = false
    random = SeededGenerator(seed: seed)
    state = try StoreState(reading: context)
    for row in try context.fetch(FetchDescriptor<Generation>()) { generations[row.number] = row }
    for item in try context.fetch(FetchDescriptor<Item>()) { items[item.number] = item }
    for label in try context.fetch(FetchDescriptor<Label>()) { labels[label.name] = label }
  }

  var number: Int { state.number }

  package mutating func saveNext() throws {
    let batch = Batch(after: state, using: &random)
    state.apply(batch)
    say("plan \(batch.number) \(state.digest)")
    try save(batch)
    say("saved \(batch.number)")
  }

  private mutating func save(_ batch: Batch) throws {
    switch batch.way {
    case .save:
      try write(batch)
      try context.save()
    case .transaction:
      try context.transaction { try write(batch) }
    case .savesInTransaction:
      try context.transaction {
        insertGeneration(of: batch)
        try context.save()
        try writeRest(of: batch)
      }
    case .afterFailure:
      try fail()
      try write(batch)
      try context.save()
    }
  }

  /// Makes changes that are written to the store and then rolled back.
  private func fail() throws {
    do {
      try context.transaction {
        for item in items.values { item.text = "undone" }
        context.insert(Label(name: "undone"))
        try context.save()
        throw Undone()
      }
    } catch is Undone {}
  }

  // MARK: One batch

  private mutating func write(_ batch: Batch) throws {
    insertGeneration(of: batch)
    try writeRest(of: batch)
  }

  private mutating func insertGeneration(of batch: Batch) {
    let generation = Generation(number: batch.number, inserted: batch.inserted.count, note: batch.note)
    context.insert(generation)
    generations[batch.number] = generation
    for name in Batch.labels where labels[name] == nil {
      labels[name] = Label(name: name)
      context.insert(labels[name]!)
    }
  }

  private mutating func writeRest(of batch: Batch) throws {
    let generation = generations[batch.number]!
    let new = batch.inserted.map { Item($0, of: generation, label: $0.label.flatMap { labels[$0] }) }
    for item in new {
      context.insert(item)
      items[item.number] = item
    }
    // Sets the other side of the relationship too, so that the workload does not depend on the library to update it.
    if !new.isEmpty { generation.items = new }
    for record in batch.updated { update(items[record.number]!, to: record) }
    for number in batch.deleted {
      let item = items.removeValue(forKey: number)!
      item.generation!.removed += 1
      context.delete(item)
    }
    for (name, label) in labels {
      label.stamp = batch.number
      label.uses = state.labels[name]!.uses
    }
  }

  private func update(_ item: Item, to record: StoreState.ItemRecord) {
    item.text = record.text
    item.weight = record.weight
    item.isMarked = record.isMarked
    item.payload = record.payload
    item.label = record.label.flatMap { labels[$0] }
  }
}
