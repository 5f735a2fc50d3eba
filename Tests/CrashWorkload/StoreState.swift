import SwiftData

/// The contents of a store, or the contents that a store must have, as values.
package struct StoreState: Sendable {
  package struct GenerationRecord: Hashable, Sendable {
    var number: Int
    var inserted: Int
    var removed: Int
    var note: String?
  }

  package struct ItemRecord: Hashable, Sendable {
    var number: Int
    var text: String
    var weight: Double
    var isMarked: Bool
    /// The number of bytes of the payload. All bytes are equal to `fill`; it is -1 if the store returned different
    /// bytes.
    var length: Int
    var fill: Int
    var generation: Int
    var label: String?

    var payload: Data { Data(repeating: UInt8(fill), count: length) }
  }

  package struct LabelRecord: Hashable, Sendable {
    var name: String
    var stamp: Int
    var uses: Int
  }

  var generations: [Int: GenerationRecord] = [:]
  var items: [Int: ItemRecord] = [:]
  var labels: [String: LabelRecord] = [:]
  /// The numbers of the items in each generation's to-many relationship.
  var members: [Int: [Int]] = [:]

  package init() {}

  /// The number of the last save.
  package var number: Int { generations.keys.max() ?? 0 }

  /// A hash of the contents, to compare two states.
  package var digest: UInt64 {
    let lines =
      generations.sorted { $0.key < $1.key }.map { "\($0.value)" }
      + items.sorted { $0.key < $1.key }.map { "\($0.value)" }
      + labels.sorted { $0.key < $1.key }.map { "\($0.value)" }
    var hash: UInt64 = 0xCBF2_9CE4_8422_2325
    for line in lines {
      for byte in line.utf8 { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3 }
    }
    return hash
  }
}

extension StoreState {
  /// The error for a row that the store returns twice.
  struct Duplicate: Error {
    var entity: String
    var row: String
  }

  /// Reads all rows, and each relationship from both sides.
  package init(reading context: ModelContext) throws {
    for label in try context.fetch(FetchDescriptor<Label>()) {
      try Self.add(LabelRecord(name: label.name, stamp: label.stamp, uses: label.uses), as: label.name, to: &labels)
    }
    for item in try context.fetch(FetchDescriptor<Item>()) {
      try Self.add(ItemRecord(item), as: item.number, to: &items)
    }
    for row in try context.fetch(FetchDescriptor<Generation>()) {
      let record = GenerationRecord(
        number: row.number, inserted: row.inserted, removed: row.removed, note: row.note)
      try Self.add(record, as: row.number, to: &generations)
      members[row.number] = row.items.map(\.number).sorted()
    }
  }

  private static func add<Key: Hashable, Row>(_ row: Row, as key: Key, to rows: inout [Key: Row]) throws {
    if rows.updateValue(row, forKey: key) != nil { throw Duplicate(entity: "\(Row.self)", row: "\(key)") }
  }

  /// The contradictions between rows of different entities, such as a wrong number of items.
  package var violations: [String] {
    var found: [String] = []
    let living = Dictionary(grouping: items.values, by: \.generation)
    if generations.keys.sorted() != Array(1..<number + 1) { found.append("generations are missing") }
    for row in generations.values {
      let own = (living[row.number] ?? []).map(\.number).sorted()
      if row.inserted - row.removed != own.count { found.append("\(row) has \(own.count) items") }
      if members[row.number] != own { found.append("\(row) leads to \(members[row.number] ?? []), not to \(own)") }
    }
    for label in labels.values {
      let uses = items.values.count { $0.label == label.name }
      guard label.uses != uses || label.stamp != number else { continue }
      found.append("\(label) in save \(number) is used \(uses) times")
    }
    for item in items.values where item.fill < 0 || generations[item.generation] == nil {
      found.append("\(item) is torn or lost")
    }
    return found
  }
}

extension StoreState.ItemRecord {
  fileprivate init(_ item: Item) {
    let payload = item.payload
    let byte = payload.first ?? 0
    let isWhole = payload == Data(repeating: byte, count: payload.count)
    self.init(
      number: item.number, text: item.text, weight: item.weight, isMarked: item.isMarked, length: payload.count,
      fill: isWhole ? Int(byte) : -1, generation: item.generation?.number ?? 0, label: item.label?.name)
  }
}
