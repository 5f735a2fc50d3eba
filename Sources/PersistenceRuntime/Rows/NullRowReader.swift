import PersistenceSupport

/// A row without columns, for creating faults.
package enum NullRowReader {
  /// Creates an object whose slots are all faults.
  package static func make<T: PersistentModel>(_ type: T.Type, in map: IdentityMap) -> T {
    let session = ReadSession(identityMap: map, error: { _ in .storeFailure })
    session.isComplete = true
    return withExtendedLifetime(session) {
      let rows = EngineRows(row: row, functions: functions, error: { _ in .storeFailure })
      var reader = RowReader(rows, session: session, mask: 0)
      return T._$make(&reader)
    }
  }

  /// Turns the relationships of objects into faults, and keeps their values.
  package static func releaseRelationships<T: PersistentModel>(of objects: some Sequence<T>, in map: IdentityMap) {
    let session = ReadSession(identityMap: map, releasesRelationships: true, error: { _ in .storeFailure })
    session.isComplete = true
    withExtendedLifetime(session) {
      let rows = EngineRows(row: row, functions: functions, error: { _ in .storeFailure })
      var reader = RowReader(rows, session: session, mask: 0)
      for object in objects { object._$read(&reader) }
    }
  }

  /// Turns properties of an object into faults. Relationships with unsaved changes keep their values.
  package static func release<T: PersistentModel>(_ positions: Range<Int>, of object: T, in map: IdentityMap) {
    guard T._$isGenerated else { return map.ownerType.noteStaleValues(of: object, positions, in: map) }
    let session = ReadSession(
      identityMap: map, releasesRelationships: positions.count == map.entity.properties.count,
      error: { _ in .storeFailure })
    session.released = positions
    session.isComplete = true
    withExtendedLifetime(session) {
      let rows = EngineRows(row: row, functions: functions, error: { _ in .storeFailure })
      var reader = RowReader(rows, session: session, mask: 0)
      reader.current = object._$state
      object._$read(&reader)
    }
    object._$state.pointee.flags.insert(.fault)
  }

  // Both are initialised once and never mutated.

  /// A non-null row that the functions below ignore.
  nonisolated(unsafe) private static let row = OpaquePointer(UnsafeMutablePointer<UInt8>.allocate(capacity: 1))

  /// Every column is NULL, and there is no further row.
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
