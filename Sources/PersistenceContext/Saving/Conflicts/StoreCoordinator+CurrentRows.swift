import PersistenceRuntime
import PersistenceSupport

extension StoreCoordinator {
  /// Decodes rows to unregistered objects. The registered objects of the context stay unchanged.
  ///
  /// - Parameter body: Gets the key, the object, the properties whose columns cannot be read, and a function for the key
  ///   in a to-one relationship of the row, 0 for none.
  func readUnregistered<T: PersistentModel>(
    _ keys: [Int64], in map: IdentityMap, _ transaction: any StoreTransaction, as type: T.Type,
    _ body: (Int64, T, ContiguousArray<PropertyFailure>, @escaping (Int) -> Int64) throws -> Void
  ) throws {
    let request = FetchRequest(entity: map.entity, selection: .keys(keys))
    try fetch(request, in: transaction) { rows in
      let session = ReadSession(identityMap: map, readsExternalValues: true, error: rows.error)
      try withExtendedLifetime(session) {
        var reader = RowReader(rows, session: session, mask: request.mask)
        while try reader.next() {
          reader.column = 1
          reader.current = nil
          let currentRow = T._$make(&reader)
          let unread = session.failure.takeAll()
          if let serious = unread.first(where: { $0.error.kind != .corruptValue }) { throw serious.error }
          try body(reader.key, currentRow, unread) { [reader] in reader.currentReference(at: $0) ?? 0 }
        }
      }
    }
  }
}
