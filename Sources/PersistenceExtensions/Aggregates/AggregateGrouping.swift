import PersistenceRuntime

/// By what rows are put together.
struct AggregateGrouping<Key: Hashable> {
  /// The value in a store; nil when all rows are one group.
  let operand: AggregateOperand?
  /// Reads the value, which is the first column of results if there is one.
  let read: (RowReader) throws -> Key

  /// The place of the first result behind the value.
  var firstColumn: Int32 { operand == nil ? 0 : 1 }
}

/// A group while it is being calculated.
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

/// The groups that were found, in order.
struct AggregateGroups<Model: PersistentModel, Key: Hashable, each Result> {
  private let make: () throws -> AggregateGroup<Model, repeat each Result>
  private var groups: [Key: AggregateGroup<Model, repeat each Result>] = [:]
  private(set) var keys: [Key] = []

  init(make: @escaping () throws -> AggregateGroup<Model, repeat each Result>) {
    self.make = make
  }

  /// The group of a key, made when it is first met.
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
