import PersistenceSupport

/// A row without columns, from which an object is made whose slots all wait for the real row.
package enum NullRowReader {
  /// Makes an object whose slots all wait.
  package static func make<T: PersistentModel>(_ type: T.Type, in map: IdentityMap) -> T {
    let session = ReadSession(identityMap: map, error: { _ in .storeFailure })
    session.isComplete = true
    return withExtendedLifetime(session) {
      let rows = EngineRows(row: place, functions: functions, error: { _ in .storeFailure })
      var reader = RowReader(rows, session: session, mask: 0)
      return T._$make(&reader)
    }
  }

  /// Makes the relationships of objects wait again, and leaves their values.
  package static func releaseRelationships<T: PersistentModel>(of objects: some Sequence<T>, in map: IdentityMap) {
    let session = ReadSession(identityMap: map, releasesRelationships: true, error: { _ in .storeFailure })
    session.isComplete = true
    withExtendedLifetime(session) {
      let rows = EngineRows(row: place, functions: functions, error: { _ in .storeFailure })
      var reader = RowReader(rows, session: session, mask: 0)
      for object in objects { object._$read(&reader) }
    }
  }

  /// Makes properties of an object wait again; those of which ``RowReader`` knows that they wait to be saved keep their
  /// values if they are relationships.
  package static func release<T: PersistentModel>(_ positions: Range<Int>, of object: T, in map: IdentityMap) {
    guard T._$isGenerated else { return map.ownerType.noteStaleValues(of: object, positions, in: map) }
    let session = ReadSession(
      identityMap: map, releasesRelationships: positions.count == map.entity.properties.count,
      error: { _ in .storeFailure })
    session.released = positions
    session.isComplete = true
    withExtendedLifetime(session) {
      let rows = EngineRows(row: place, functions: functions, error: { _ in .storeFailure })
      var reader = RowReader(rows, session: session, mask: 0)
      reader.current = object._$state
      object._$read(&reader)
    }
    object._$state.pointee.flags.insert(.fault)
  }

  // Both are made once and never written to again.

  /// Never looked at: the functions below ignore it.
  nonisolated(unsafe) private static let place = OpaquePointer(UnsafeMutablePointer<UInt8>.allocate(capacity: 1))

  /// Every column is NULL, and there is no row to step to.
  nonisolated(unsafe) private static let functions: UnsafePointer<ColumnReadFunctions> = {
    let functions = UnsafeMutablePointer<ColumnReadFunctions>.allocate(capacity: 1)
    functions.initialize(
      to: ColumnReadFunctions(
        step: { _ in 0 }, rowCode: 1, doneCode: 0, storageClass: { _, _ in StorageClass.null.rawValue },
        integer: { _, _ in 0 }, real: { _, _ in 0 }, text: { _, _ in nil }, blob: { _, _ in nil }, count: { _, _ in 0 })
    )
    return UnsafePointer(functions)
  }()
}
