import PersistenceContainer
import PersistenceContext
import PersistenceQueries
import PersistenceRuntime

/// The result of a live query, with the models that the program has accessed. Only used on the context's thread or
/// actor.
///
/// The models are retained, because the program observes their properties, and a freed model cannot report a change.
final class ObservedRows<T: PersistentModel> {
  /// The number of models that are read together.
  private static var batchSize: Int { 100 }

  private(set) var fetched: FetchedRows<T>
  private let context: ModelContext
  private let descriptor: FetchDescriptor<T>
  /// The models that have been read, by position; empty before the program accesses the first model.
  private var loaded: ContiguousArray<T?> = []

  init(_ fetched: FetchedRows<T>, of descriptor: FetchDescriptor<T>, in context: ModelContext) {
    self.fetched = fetched
    self.descriptor = descriptor
    self.context = context
  }

  var count: Int { fetched.count }

  var results: FetchResultsCollection<T> {
    FetchResultsCollection(count: count) { self.model(at: $0) }
  }

  func model(at position: Int) -> T {
    switch fetched {
    case .models(let models): return models[position]
    case .keys(let keys, let mask):
      if loaded.isEmpty { loaded = ContiguousArray(repeating: nil, count: keys.count) }
      if let model = loaded[position] { return model }
      return load(around: position, keys, mask: mask)
    }
  }

  /// The position of a model; nil if it is not among the rows.
  func position(of model: T) -> Int? {
    switch fetched {
    case .models(let models): return models.firstIndex { $0 === model }
    case .keys(let keys, _):
      let key = model._$rowKey
      guard key != 0, model.modelContext === context else { return nil }
      return keys.firstIndex(of: key)
    }
  }

  /// Takes the models from the former result, so that models that are also in this result are not read again.
  func takeModels(of former: ObservedRows<T>) {
    guard case .keys(let keys, _) = fetched else { return }
    var known: [Int64: T] = [:]
    for model in former.loadedModels where !model.isDeleted { known[model._$rowKey] = model }
    guard !known.isEmpty else { return }
    loaded = ContiguousArray(keys.map { known[$0] })
  }

  private var loadedModels: [T] {
    switch fetched {
    case .models(let models): models
    case .keys: loaded.compactMap(\.self)
    }
  }

  /// Reads the batch of models that contains a position, without those that have been read already.
  private func load(around position: Int, _ keys: [Int64], mask: UInt64) -> T {
    let start = position / Self.batchSize * Self.batchSize
    let missing = (start..<min(start + Self.batchSize, keys.count)).filter { loaded[$0] == nil }
    guard let map = try? context.requireIdentityMap(for: T.self) else { return T._$standIn() }
    let (models, isRead) = context.loggingBatch(missing.map { keys[$0] }[...], of: descriptor, mask: mask, in: map)
    for (index, model) in zip(missing, models) { loaded[index] = model }
    // If the read failed, returns a placeholder that is not stored, so that the next access reads again.
    return loaded[position] ?? T._$absent(keys[position], isRead: isRead, in: map)
  }
}
