/// What the table of an entity's objects asks of the context that it is in.
///
/// Requirements of instances concern a context that is there: without an owner, a map does without them. Static ones
/// hold after the end of the context too, for the objects that outlive it. All of them are called by the code that may
/// use the context, or that has its objects after its end. The end of the last object ends the context that stood in for
/// an ended one (``IdentityMap/adopted``), on the thread of that end; no other thread can reach either by then.
@usableFromInline
package protocol MapOwner: AnyObject {
  // MARK: While the context is there

  /// Notes that rows are read now whose objects may refer to others that do not know of it.
  func beginRead()

  /// Ends what ``beginRead()`` began.
  ///
  /// - Parameters:
  ///   - isComplete: Whether all objects are known that took values of the rows.
  ///   - keys: The keys of those.
  func endRead(isComplete: Bool, keys: () -> [Int64])

  /// Notes that a model of the map was given an identity, which may be asked for before the model has a row.
  func noteUnsaved<T: PersistentModel>(_ token: IdentifierToken, of model: T)

  // MARK: After its end, too

  /// The map of another entity in the context of a map; after its end, in one that takes its place.
  static func identityMap(for type: any PersistentModel.Type, beside map: IdentityMap) -> IdentityMap?

  /// Keeps a model that is written by hand for as long as the program may use it through its backing data.
  static func keepHandWritten(_ object: AnyObject, key: Int64, in map: IdentityMap)

  /// Lets go of what stood for the row of a key, when an object of another class comes to stand for it.
  static func willRegisterMember(_ object: AnyObject, at key: Int64, in map: IdentityMap)

  /// Notes that the columns of some properties were read that could not be read before.
  static func didReadRow<T: PersistentModel>(of model: T, mask: UInt64)

  /// Notes that values are not those of the row and cannot be taken away.
  static func noteStaleValues<T: PersistentModel>(of model: T, _ positions: Range<Int>, in map: IdentityMap)
}

extension IdentityMap {
  /// Keeps a model that is written by hand for as long as anybody may use it through its backing data.
  @usableFromInline
  package func keep(_ object: AnyObject, key: Int64) {
    ownerType.keepHandWritten(object, key: key, in: self)
  }

  /// Notes of a model with properties that could not be read that the columns of some were read now.
  @usableFromInline
  func didReadRow<T: PersistentModel>(of model: T, mask: UInt64) {
    ownerType.didReadRow(of: model, mask: mask)
  }
}
