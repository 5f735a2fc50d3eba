import SeededNumbers
import SwiftData

/// The changes of one save, computed from random numbers and a ``StoreState``, without the library.
struct Batch {
  /// The way in which the writer saves the changes.
  enum Way: CaseIterable {
    case save
    case transaction
    /// A transaction with two saves: the first inserts the generation, the second makes the other changes.
    case savesInTransaction
    /// A transaction that is rolled back, followed by a save of the changes.
    case afterFailure
  }

  static let labels = (1...6).map { "label \($0)" }

  let number: Int
  let note: String?
  let way: Way
  let inserted: [StoreState.ItemRecord]
  let updated: [StoreState.ItemRecord]
  let deleted: [Int]

  init(after state: StoreState, using random: inout SeededGenerator) {
    number = state.number + 1
    note = Bool.random(using: &random) ? "generation \(number)" : nil
    way = Int.random(in: 0..<3, using: &random) == 0 ? Way.allCases.randomElement(using: &random)! : .save
    let first = number * 100
    inserted = (0..<Int.random(in: 0...6, using: &random)).map { [number] position in
      StoreState.ItemRecord(number: first + position, generation: number, using: &random)
    }
    let known = state.items.keys.sorted().shuffled(using: &random)
    let goingCount = known.count > 60 ? 12 : min(known.count, Int.random(in: 0...3, using: &random))
    deleted = Array(known.prefix(goingCount))
    updated = known.dropFirst(goingCount).prefix(Int.random(in: 0...5, using: &random)).map { item in
      StoreState.ItemRecord(number: item, generation: state.items[item]!.generation, using: &random)
    }
  }
}

extension StoreState.ItemRecord {
  fileprivate init(number: Int, generation: Int, using random: inout SeededGenerator) {
    // Most payloads have at most 600 bytes. Some have up to 30,000 (several pages), or up to 400,000 (a file of its
    // own).
    let longest = [600, 600, 600, 600, 600, 600, 30_000, 400_000].randomElement(using: &random)!
    self.init(
      number: number, text: "item \(number), \(random.next())", weight: Double(random.next() >> 12) / 3,
      isMarked: Bool.random(using: &random), length: Int.random(in: 1...longest, using: &random),
      fill: Int.random(in: 0...255, using: &random), generation: generation,
      label: Int.random(in: 0..<4, using: &random) == 0 ? nil : Batch.labels.randomElement(using: &random)!)
  }
}

extension StoreState {
  /// Applies the changes of a batch.
  mutating func apply(_ batch: Batch) {
    generations[batch.number] = GenerationRecord(
      number: batch.number, inserted: batch.inserted.count, removed: 0, note: batch.note)
    for item in batch.deleted {
      guard let gone = items.removeValue(forKey: item) else { continue }
      generations[gone.generation]?.removed += 1
    }
    for item in batch.inserted + batch.updated { items[item.number] = item }
    for name in Batch.labels {
      labels[name] = LabelRecord(name: name, stamp: batch.number, uses: items.values.count { $0.label == name })
    }
  }
}
