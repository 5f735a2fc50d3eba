import PersistenceRuntime
import PersistenceSupport

extension PersistentModel {
  /// The value of a property with an out-of-row or encrypted value whose slot is empty, read from its column. For
  /// generated code.
  ///
  /// A getter cannot throw. After an error it returns the default of the property, which is not kept, and changes that
  /// may depend on it are not saved (``FailedRead``).
  public func _$resolveOutOfRow<Value>(
    _ position: Int, slot: () -> _PersistenceRuntime.Slot<Value>, store: (Value) -> Void,
    row: (inout _PersistenceRuntime.RowReader) -> _PersistenceRuntime.Slot<Value>
  ) -> Value {
    if case .value(let value) = slot() { return value }
    let state = _$state
    guard let map = state.pointee.identityMap, state.pointee.primaryKey != 0,
      !state.pointee.flags.contains(.gone)
    else { return _$resolve(position, slot: slot, store: store) }
    do {
      if case .value(let value) = try map.store.slot(of: self, at: position, in: map, row) {
        store(value)
        _$didRead(position)
        return value
      }
      _$noteMissingRow()
      return _$resolve(position, slot: slot, store: store)
    } catch {
      _$noteFailedRead(position, error, in: map)
      return _$default(position)
    }
  }
}

extension StoreCoordinator {
  /// The value of one property in the row of an object; nil if there is no row.
  func slot<T: PersistentModel, Value>(
    of object: T, at position: Int, in map: IdentityMap, _ read: (inout RowReader) -> Slot<Value>
  ) throws -> Slot<Value>? {
    let property = map.entity.properties[position]
    let request = FetchRequest(
      entity: map.entity, selection: .key(object._$state.pointee.primaryKey), mask: property.bit)
    return try rereading { _ in
      var slot: Slot<Value>?
      try fetch(request, in: map.context?.openTransaction(of: self)) { rows in
        let session = ReadSession(identityMap: map, readsExternalValues: true, error: rows.error)
        try withExtendedLifetime(session) {
          var reader = RowReader(rows, session: session, mask: request.mask)
          guard try reader.next() else { return }
          reader.column = 1
          slot = read(&reader)
        }
        try session.throwFailure()
      }
      return slot
    }
  }

  /// Repeats a fetch once if the file of an external value is missing: another context may have replaced the value
  /// meanwhile, and the row then refers to another file.
  ///
  /// - Parameter fetch: Gets whether it is repeated.
  package func rereading<Result>(_ fetch: (_ isRepeated: Bool) throws -> Result) throws -> Result {
    do {
      return try fetch(false)
    } catch let error as SwiftDataError where error.underlyingError is UnreadableExternalValue {
      return try fetch(true)
    }
  }
}
