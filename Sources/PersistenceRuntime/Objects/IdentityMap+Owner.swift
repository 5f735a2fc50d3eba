import PersistenceSupport

/// The functions that an identity map requires of its context.
///
/// All functions are static, because objects may outlive their context. The callers run in the context's isolation;
/// after the context's release, the callers own its objects. The deallocation of a map's last object releases the map's
/// substitute context (``IdentityMap/adopted``) on that thread. By then no other thread can access either object.
package protocol MapOwner: AnyObject {
  // MARK: Effective only before the release of the context

  /// Called before a read of rows whose entity has relationships without an inverse.
  static func beginRead(in map: IdentityMap)

  /// Called after the reads that ``beginRead(in:)`` announced.
  ///
  /// - Parameters:
  ///   - map: The map of the objects.
  ///   - isComplete: Whether `keys` lists every object that got values from the rows.
  ///   - keys: The keys of those objects.
  static func endRead(in map: IdentityMap, isComplete: Bool, keys: () -> [Int64])

  /// Records the token that identifies a model of the map before the model has a row.
  static func noteUnsaved<T: PersistentModel>(_ token: IdentifierToken, of model: T, in map: IdentityMap)

  // MARK: Effective also after the release of the context

  /// The map of another entity in the same context or, after the context's release, in the substitute context.
  static func identityMap(for type: any PersistentModel.Type, beside map: IdentityMap) -> IdentityMap?

  /// Retains a hand-written model for as long as the program may use its backing data.
  static func keepHandWritten(_ object: AnyObject, key: Int64, in map: IdentityMap)

  /// Called before an object is registered for a row. Detaches former objects of the row that are of other classes.
  static func willRegisterMember(_ object: AnyObject, at key: Int64, in map: IdentityMap)

  /// Reports that columns of a model with failed reads were read.
  static func didReadRow<T: PersistentModel>(of model: T, mask: UInt64)

  /// Reports properties of a model that a read of its row left unread.
  ///
  /// - Parameters:
  ///   - failures: The properties, with the errors.
  ///   - mask: The properties in the row.
  /// - Returns: The errors that were not recorded before.
  static func noteUnread<T: PersistentModel>(
    _ failures: ContiguousArray<PropertyFailure>, of model: T, mask: UInt64, in map: IdentityMap
  ) -> [SwiftDataError]

  /// Reports a row from which no model can be created.
  ///
  /// - Returns: Whether the context had not recorded the row before.
  static func noteLeftOut(_ error: SwiftDataError, key: Int64, in map: IdentityMap) -> Bool

  /// Reports stale values of a hand-written model, whose properties cannot be turned into faults.
  static func noteStaleValues<T: PersistentModel>(of model: T, _ positions: Range<Int>, in map: IdentityMap)
}

extension IdentityMap {
  /// Retains a hand-written model for as long as the program may use its backing data.
  @usableFromInline
  package func keep(_ object: AnyObject, key: Int64) {
    ownerType.keepHandWritten(object, key: key, in: self)
  }

  /// Reports that columns of a model with failed reads were read.
  @usableFromInline
  func didReadRow<T: PersistentModel>(of model: T, mask: UInt64) {
    ownerType.didReadRow(of: model, mask: mask)
  }

  /// Logs a value that a fetch left unread. Repeated errors with the same text are logged once.
  package func logUnread(_ error: SwiftDataError) {
    let text = "\(error)"
    guard loggedReadFailure != text else { return }
    loggedReadFailure = text
    store.logger.error("a stored value is left unread: \(text)")
  }
}
