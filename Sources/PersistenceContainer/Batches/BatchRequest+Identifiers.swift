import PersistenceContext
import PersistenceQueries
import PersistenceRuntime

extension BatchRequest {
  /// The identifiers of the rows.
  ///
  /// An identifier follows from the key, except in a hierarchy, where the row names its class. That is read now,
  /// because the elements of a collection cannot throw.
  ///
  /// - Parameter count: The number of rows of a hierarchy in one query; 0 or less for all.
  /// - Throws: `SwiftDataError` of the store.
  func identifiers(lookingAtOnceAt count: Int) throws -> FetchResultsCollection<PersistentIdentifier> {
    if map.entity.isPolymorphic {
      let identifiers = try familyIdentifiers(lookingAtOnceAt: count > 0 ? count : max(1, keys.count))
      return FetchResultsCollection(count: identifiers.count) { identifiers[$0] }
    }
    let (keys, entity) = (keys, map.store.storeEntity(of: map.entity))
    return FetchResultsCollection(count: keys.count) { PersistentIdentifier(row: keys[$0], of: entity) }
  }

  private func familyIdentifiers(lookingAtOnceAt count: Int) throws -> [PersistentIdentifier] {
    var identifiers: [PersistentIdentifier] = []
    identifiers.reserveCapacity(keys.count)
    for start in stride(from: 0, to: keys.count, by: count) {
      let part = Array(keys[start..<Swift.min(start + count, keys.count)])
      var known: [Int64: PersistentIdentifier] = [:]
      let request = FetchRequest(entity: map.entity, selection: .keys(part))
      for identifier in try map.store.familyIdentifiers(request, in: map) {
        if let row = identifier.row { known[row.key] = identifier }
      }
      // A row that was deleted since its key was read is left out, as by a fetch.
      identifiers.append(contentsOf: part.compactMap { known[$0] })
    }
    return identifiers
  }
}
