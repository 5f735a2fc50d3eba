import PersistenceRuntime

/// The key by which rows are grouped.
struct AggregateGrouping<Key: Hashable> {
  /// The operand of GROUP BY; nil if all rows form one group.
  let operand: AggregateOperand?
  /// Reads the key of the group from a result row. If there is an operand, the key is the first result column.
  let read: (RowReader) throws -> Key

  /// The index of the first result column after the key.
  var firstColumn: Int32 { operand == nil ? 0 : 1 }
}

/// The aggregates of one group while they are calculated.
struct AggregateGroup<Model: PersistentModel, each Result> {
  let states: (repeat AggregateState<Model, each Result>)

  init(_ aggregates: repeat Aggregate<Model, each Result>, in map: IdentityMap) throws {
    states = (repeat try (each aggregates).makeState(map))
  }

  func take(_ row: RowReader, from first: Int32, widths: [Int32]) throws {
    var column = first
    var index = 0
    func take<Value>(_ state: AggregateState<Model, Value>) throws {
      try state.take(row, from: column)
      column += widths[index]
      index += 1
    }
    repeat try take(each states)
  }

  func take(_ model: Model) throws {
    repeat try (each states).take(model)
  }

  var results: (repeat each Result) {
    get throws { (repeat try (each states).result()) }
  }
}

/// The groups of a calculation, in order.
struct AggregateGroups<Model: PersistentModel, Key: Hashable, each Result> {
  private let make: () throws -> AggregateGroup<Model, repeat each Result>
  private var groups: [Key: AggregateGroup<Model, repeat each Result>] = [:]
  private(set) var keys: [Key] = []

  init(make: @escaping () throws -> AggregateGroup<Model, repeat each Result>) {
    self.make = make
  }

  /// The group of a key, created on first use.
  mutating func group(of key: Key) throws -> AggregateGroup<Model, repeat each Result> {
    if let known = groups[key] { return known }
    let group = try make()
    groups[key] = group
    keys.append(key)
    return group
  }

  mutating func sortKeys() { keys = GroupOrder.sorted(keys) }

  func results() throws -> [(key: Key, values: (repeat each Result))] {
    try keys.compactMap { key in try groups[key].map { (key, try $0.results) } }
  }
}
