import PersistenceContext
import PersistenceQueries
import PersistenceRuntime

extension BatchRequest {
  /// The identifiers of the rows.
  ///
  /// A key says everything, but for rows of a hierarchy: which class a row is of is in the row. That is read now, since
  /// an element of a collection cannot fail, and another identifier than the row's own would be equal to no other.
  ///
  /// - Parameter count: How many rows of a hierarchy are looked at at once; 0 or less for all.
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
      // A row that has gone since is left out, as its model would be.
      identifiers.append(contentsOf: part.compactMap { known[$0] })
    }
    return identifiers
  }
}
