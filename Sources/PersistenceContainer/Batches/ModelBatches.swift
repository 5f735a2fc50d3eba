import PersistenceContext
import PersistenceQueries
import PersistenceRuntime

/// Reads the models of some rows in batches on access, and keeps at most two batches in memory.
final class ModelBatches<T: PersistentModel> {
  private let context: ModelContext
  private let map: IdentityMap
  private let keys: [Int64]
  private let batchSize: Int
  private let descriptor: FetchDescriptor<T>
  private let mask: UInt64
  /// The last two batches, the newest at the end. Code may go back and forth over a batch boundary, so two are kept.
  private var known: [(number: Int, models: [T])] = []

  init(_ batch: BatchRequest<T>, batchSize: Int, context: ModelContext) {
    self.context = context
    self.map = batch.map
    self.keys = batch.keys
    self.batchSize = batchSize > 0 ? batchSize : max(1, batch.keys.count)
    self.descriptor = batch.descriptor
    self.mask = batch.mask
  }

  var results: FetchResultsCollection<T> {
    FetchResultsCollection(count: keys.count) { self.model(at: $0) }
  }

  private func model(at position: Int) -> T {
    let (number, offset) = position.quotientAndRemainder(dividingBy: batchSize)
    if let last = known.last(where: { $0.number == number }) { return last.models[offset] }
    let (models, isComplete) = batch(number)
    // A batch that could not be read is not kept, so the next access tries again.
    guard isComplete else { return models[offset] }
    if known.count > 1 { known.removeFirst() }
    known.append((number, models))
    return models[offset]
  }

  private func batch(_ number: Int) -> (models: [T], isComplete: Bool) {
    let keys = keys[(number * batchSize)..<min((number + 1) * batchSize, keys.count)]
    let (models, isComplete) = context.loggingBatch(keys, of: descriptor, mask: mask, in: map)
    return (zip(keys, models).map { $1 ?? T._$absent($0, isRead: isComplete, in: map) }, isComplete)
  }
}
