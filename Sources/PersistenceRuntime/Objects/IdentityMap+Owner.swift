import PersistenceSupport

/// The functions that an identity map calls on its context.
///
/// They are static, because objects may outlive the context. Calling code runs in the context's isolation or, after the
/// context's release, owns the objects. When the last object of a map is deallocated, the map releases its substitute
/// context (``IdentityMap/adopted``) on the same thread. By then no other thread can access the map or that context.
package protocol MapOwner: AnyObject {
  // MARK: Effective only before the release of the context

  /// Called before a read of rows whose entity has relationships without an inverse.
  static func beginRead(in map: IdentityMap)

  /// Called when the read that ``beginRead(in:)`` announced is finished.
  ///
  /// - Parameters:
  ///   - map: The map of the objects.
  ///   - isComplete: Whether `keys` lists every object that got values from the rows.
  ///   - keys: The keys of those objects.
  static func endRead(in map: IdentityMap, isComplete: Bool, keys: () -> [Int64])

  /// Records the identifier of a model that waits for its insertion, so that the context can find the model.
  static func noteUnsaved<T: PersistentModel>(_ token: IdentifierToken, of model: T, in map: IdentityMap)

  // MARK: Effective also after the release of the context

  /// The map of another entity in the same context or, after the context's release, in the substitute context.
  static func identityMap(for type: any PersistentModel.Type, beside map: IdentityMap) -> IdentityMap?

  /// Retains a hand-written model for as long as the program may use its backing data.
  static func keepHandWritten(_ object: AnyObject, key: Int64, in map: IdentityMap)

  /// Called before a row's object is registered. If the row's class has changed, unregisters the row's other objects.
  static func willRegisterMember(_ object: AnyObject, at key: Int64, in map: IdentityMap)

  /// Called after the row of a model with failed reads was read. Forgets the failed reads of the properties in `mask`.
  static func didReadRow<T: PersistentModel>(of model: T, mask: UInt64)

  /// Records the properties of a model whose columns contain values that the properties cannot hold.
  ///
  /// - Parameters:
  ///   - failures: The properties, with the errors.
  ///   - mask: The properties whose columns were read.
  /// - Returns: The errors that were not recorded before.
  static func noteUnread<T: PersistentModel>(
    _ failures: ContiguousArray<PropertyFailure>, of model: T, mask: UInt64, in map: IdentityMap
  ) -> [SwiftDataError]

  /// Records that a fetch omitted a row because it could not create a model from the row.
  ///
  /// - Returns: Whether the context had not recorded the row before.
  static func noteLeftOut(_ error: SwiftDataError, key: Int64, in map: IdentityMap) -> Bool

  /// Records that values of a hand-written model are stale, because its backing data cannot turn them into faults.
  static func noteStaleValues<T: PersistentModel>(of model: T, _ positions: Range<Int>, in map: IdentityMap)
}

extension IdentityMap {
  /// Retains a hand-written model for as long as the program may use its backing data.
  @usableFromInline
  package func keep(_ object: AnyObject, key: Int64) {
    ownerType.keepHandWritten(object, key: key, in: self)
  }

  /// Called after the row of a model with failed reads was read. Forgets the failed reads of the properties in `mask`.
  @usableFromInline
  func didReadRow<T: PersistentModel>(of model: T, mask: UInt64) {
    ownerType.didReadRow(of: model, mask: mask)
  }

  /// Logs the error of a stored value that a fetch could not read, unless the last logged error has the same text.
  package func logUnread(_ error: SwiftDataError) {
    let text = "\(error)"
    guard loggedReadFailure != text else { return }
    loggedReadFailure = text
    store.logger.error("a stored value is left unread: \(text)")
  }
}
