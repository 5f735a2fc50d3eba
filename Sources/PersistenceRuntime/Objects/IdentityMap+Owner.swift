import PersistenceSupport

/// The functions that an identity map requires of its context.
///
/// All requirements are static, because objects outlive their context. Callers run in the isolation of the context, or
/// after its release in the code that owns its objects. When the map's last object is deallocated, the map releases its
/// substitute context (``IdentityMap/adopted``) on that thread; by then no other thread can access either of them.
package protocol MapOwner: AnyObject {
  // MARK: Only while the context lives; without effect after its release

  /// Called before rows are read whose objects may refer to other objects by one-way relationships.
  static func beginRead(in map: IdentityMap)

  /// Called after the reads that ``beginRead(in:)`` announced.
  ///
  /// - Parameters:
  ///   - map: The map of the objects.
  ///   - isComplete: Whether `keys` lists every object that took values of the rows.
  ///   - keys: The keys of those objects.
  static func endRead(in map: IdentityMap, isComplete: Bool, keys: () -> [Int64])

  /// Records the token of a model of the map, created before the model has a row.
  static func noteUnsaved<T: PersistentModel>(_ token: IdentifierToken, of model: T, in map: IdentityMap)

  // MARK: Also after the context's release

  /// The map of another entity in the same context or, after the context's release, in the substitute context.
  static func identityMap(for type: any PersistentModel.Type, beside map: IdentityMap) -> IdentityMap?

  /// Retains a hand-written model for as long as the program may use its backing data.
  static func keepHandWritten(_ object: AnyObject, key: Int64, in map: IdentityMap)

  /// Releases the row's former object when an object of another class is registered for it.
  static func willRegisterMember(_ object: AnyObject, at key: Int64, in map: IdentityMap)

  /// Reports that columns of a model with failed reads were read.
  static func didReadRow<T: PersistentModel>(of model: T, mask: UInt64)

  /// Reports properties of a model that a read of its row left unread.
  ///
  /// - Parameters:
  ///   - failures: The properties, with the errors.
  ///   - mask: The properties in the row.
  /// - Returns: The errors that were new to the map's context.
  static func noteUnread<T: PersistentModel>(
    _ failures: ContiguousArray<PropertyFailure>, of model: T, mask: UInt64, in map: IdentityMap
  ) -> [SwiftDataError]

  /// Reports a row from which no model can be created.
  ///
  /// - Returns: Whether the row was new to the context.
  static func noteLeftOut(_ error: SwiftDataError, key: Int64, in map: IdentityMap) -> Bool

  /// Reports values that differ from the row and cannot be turned into faults.
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
