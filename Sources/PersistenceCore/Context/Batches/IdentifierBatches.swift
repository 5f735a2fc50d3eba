/// The identifiers of some rows, made when they are asked for.
///
/// The key says everything, but for rows of a hierarchy: which class a row is of is in the row.
final class IdentifierBatches<T: PersistentModel> {
  private let context: ModelContext
  private let map: IdentityMap
  private let keys: [Int64]
  private let batchSize: Int
  private var known: (number: Int, identifiers: [Int64: PersistentIdentifier])?

  init(_ batch: BatchRequest<T>, batchSize: Int, context: ModelContext) {
    self.context = context
    self.map = batch.map
    self.keys = batch.keys
    self.batchSize = batchSize > 0 ? batchSize : max(1, batch.keys.count)
  }

  var results: FetchResultsCollection<PersistentIdentifier> {
    FetchResultsCollection(count: keys.count) { self.identifier(at: $0) }
  }

  private func identifier(at position: Int) -> PersistentIdentifier {
    let key = keys[position]
    let own = PersistentIdentifier(row: key, of: map.store.storeEntity(of: map.entity))
    guard map.entity.isPolymorphic else { return own }
    return batch(position / batchSize)[key] ?? own
  }

  private func batch(_ number: Int) -> [Int64: PersistentIdentifier] {
    if let known, known.number == number { return known.identifiers }
    let keys = Array(keys[(number * batchSize)..<min((number + 1) * batchSize, keys.count)])
    var identifiers: [Int64: PersistentIdentifier] = [:]
    do {
      let request = FetchRequest(entity: map.entity, selection: .keys(keys))
      for identifier in try map.store.familyIdentifiers(request, in: map) {
        if let row = identifier.row { identifiers[row.key] = identifier }
      }
    } catch {
      // Not kept: the next who asks tries again.
      map.noteReadFailure(error)
      return [:]
    }
    known = (number, identifiers)
    return identifiers
  }
}
